// Lines of what compares Schematics. mutate.mjs says what a row is.

const DRIFT = "native-tests/drift";
const SCHEMAS = "native-tests/schema/compile/schema-comparison.test.ts";

export default [
  [
    "drift: a guard that moved behind a step",
    "src/drift/compared-guards.ts",
    "reachable(head, step).has(key)",
    "reachable(head, key).has(step)",
    DRIFT,
  ],
  [
    "drift: a step between two is no change of edges",
    "src/drift/compared-edges.ts",
    'if (next.kind === "Linear") seen.add(next.to)',
    'if (next.kind === "Jump") seen.add(next.to)',
    DRIFT,
  ],
  ["drift: an allowance ends", "src/drift/judge.ts", "expires >= today", 'expires >= ""', DRIFT],
  [
    "drift: a weaker policy is found by its rules",
    "src/drift/compared-policies.ts",
    "next === undefined || !isAtLeast(next, old)",
    "next === undefined || !isAtLeast(old, next)",
    DRIFT,
  ],
  [
    "drift: only a kept Axon needs a version",
    "src/drift/compared-programs.ts",
    "if (!isKept || old.version",
    "if (old.version",
    DRIFT,
  ],
  [
    "schemas: a value is compared with bounds",
    "src/schema/compile/schema-comparison.ts",
    "values === undefined ? sub : { ...sub, ...limitsOf(values) }",
    "sub",
    SCHEMAS,
  ],
];
