// Lines of audited steps, interventions and operators. mutate.mjs says what a row is.

const STEPS = "native-tests/audit/audit-log.test.ts";
const INTERVENTIONS = "native-tests/runtime/interventions.test.ts";
const OPERATORS = "native-tests/inspector/operators/operators.test.ts";

export default [
  [
    "audit step: a run whose event is not kept goes no further",
    "src/runtime/steps/audit-step.ts",
    'audit.onFailure === "log"\n          ? input',
    "true\n          ? input",
    STEPS,
  ],
  [
    "audit step: in a kept run the event has an id of its own",
    "src/runtime/steps/audit-step.ts",
    "isKept ? once(",
    "!isKept ? once(",
    STEPS,
  ],
  [
    "audit step: each visit has an id of its own",
    "src/runtime/steps/audit-step.ts",
    "node, state.jumpsTaken]",
    "node, 0]",
    STEPS,
  ],
  [
    "audit step: what a part says otherwise is an event beside the first",
    "src/runtime/steps/audit-step.ts",
    "statement + 1 >= MAX_STATEMENTS",
    "statement >= 0",
    STEPS,
  ],
  [
    "audit step: an inner Axon has the audit log of the one around it",
    "src/runtime/definition/surroundings.ts",
    "axon.audit ?? outer.audit",
    "axon.audit",
    STEPS,
  ],
  [
    "interventions: one that is refused is not done",
    "src/runtime/axon/resume.ts",
    "    if (refused !== undefined) return over(refused);\n",
    "",
    INTERVENTIONS,
  ],
  [
    "interventions: what a host does of its own accord is none",
    "src/runtime/axon/resume.ts",
    "    if (intervention === undefined && !isMigrated) return undefined;\n",
    "",
    INTERVENTIONS,
  ],
  [
    "interventions: one that the Inspector records is recorded once",
    "src/runtime/run/intervention.ts",
    " || use.sink === recordedIn",
    "",
    OPERATORS,
  ],
  [
    "operators: what has to be recorded is recorded before it is done",
    "src/inspector/operators/operator-log.ts",
    "return UNRECORDED;",
    "void UNRECORDED;",
    OPERATORS,
  ],
  [
    "operators: what they do is logged where the audit log fails",
    "src/inspector/operators/operator-log.ts",
    "    info({ audit: entry }, ",
    "    void ({ audit: entry }, ",
    OPERATORS,
  ],
];
