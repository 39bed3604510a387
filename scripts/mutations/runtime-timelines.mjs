// Lines of who watches runs. mutate.mjs says what a row is.

const WATCH = "native-tests/runtime/watch/watch.test.ts";
const RECORDER = "native-tests/runtime/recorder.test.ts";
const RUN_ABORT = "native-tests/runtime/recorder-abort.test.ts";
const TRACED_RUNS = "native-tests/http/request/traced-runs.test.ts";
const TIMELINE = "native-tests/runtime/timeline.test.ts";
const EXECUTOR = "native-tests/runtime/executor.test.ts";
const TIMED = "native-tests/runtime/compile/timed-line.test.ts";
const NOTES = "native-tests/core/timeline/recorded-timeline.test.ts";

export default [
  [
    "recorder: a run that is over is not aborted, nor the next one in its state",
    "src/runtime/trace/trace.ts",
    "    if (this.#over) return;\n    this.#state.control ??=",
    "    this.#state.control ??=",
    RUN_ABORT,
  ],
  [
    "assertTimeline: lost events are not none",
    "src/runtime/testing/axon-test-kit.ts",
    "if (timeline.dropped > 0)",
    "if (timeline.dropped < 0)",
    "native-tests/runtime/assert-timeline.test.ts",
  ],
  [
    "assertTimeline: nothing is something to expect",
    "src/runtime/testing/axon-test-kit.ts",
    "expected.length === 0 || ",
    "",
    "native-tests/runtime/assert-timeline.test.ts",
  ],
  [
    "recorder: a rejection",
    "src/runtime/run/answers.ts",
    "void settled(call, () => {}, failed);",
    "void settled(call, () => {}, () => {});",
    "native-tests/runtime/timeline.test.ts",
  ],
  [
    "timeline: a wait before a node",
    "src/runtime/trace/trace.ts",
    "  tell(event: Untimed<TimelineEvent>): void {\n    this.pass();",
    "  tell(event: Untimed<TimelineEvent>): void {",
    "native-tests/runtime/timeline.test.ts",
  ],
  [
    "watching: every so many runs",
    "src/runtime/watch/watch.ts",
    "if (runs < every) return counted(input, state);",
    "if (runs <= every) return counted(input, state);",
    WATCH,
  ],
  [
    "watching: held event loops",
    "src/runtime/run/counters.ts",
    "ms < BLOCKED_FROM_MS",
    "ms <= BLOCKED_FROM_MS",
    WATCH,
  ],
  [
    "watching: a fault is counted where runs are traced",
    "src/runtime/trace/traced-step.ts",
    '  if (outcome === "fault") counters?.failed(number);\n',
    "",
    WATCH,
  ],
  [
    "watching: what is open is closed",
    "src/runtime/trace/trace.ts",
    'if (this.#open.length > 0) this.leaveAll(undefined, aborted ? "aborted" : "fault", outcome);',
    "",
    TIMELINE,
  ],
  [
    "watching: the closest level counts",
    "src/runtime/watch/watch.ts",
    "return CLOSENESS[a.kind] < CLOSENESS[b.kind] ? b : a;",
    "return b;",
    WATCH,
  ],
  [
    "watching: behind its end nothing is told of a Bus",
    "src/runtime/trace/trace.ts",
    "    if (this.#over) return;\n    if (this.#notesAccesses)",
    "    if (this.#notesAccesses)",
    RECORDER,
  ],
  [
    "watching: an answer is told behind the end",
    "src/runtime/trace/trace.ts",
    "if (this.#over) this.#tellAnswer(answer);",
    "if (!this.#over) this.#tellAnswer(answer);",
    TRACED_RUNS,
  ],
  [
    "watching: each node sees the Bus as its own",
    "src/runtime/trace/traced-step.ts",
    "trace.hasViews ? new TracedBus(bus, routes.number, span) : bus",
    "bus",
    RECORDER,
  ],
  [
    "watching: what a step answers is not read again behind it",
    "src/runtime/trace/traced-step.ts",
    "    trace.foundPlain(answer);\n",
    "",
    EXECUTOR,
  ],
  [
    "watching: a mark reads nothing of what it hands on",
    "src/runtime/trace/trace.ts",
    "found === answer || (isMark && answer === input) ||",
    "found === answer ||",
    EXECUTOR,
  ],
  [
    "timeline: a copy forgets the events of the one before",
    "src/core/timeline/recorded-timeline.ts",
    "    this.#accessed = other.#accessed;\n    this.#events = null;",
    "    this.#accessed = other.#accessed;",
    NOTES,
  ],
  [
    "timeline: one that somebody has seen becomes no other run's",
    "src/runtime/trace/trace.ts",
    "if (this.#isSeen || this.notes === NOTHING) return;",
    "if (this.notes === NOTHING) return;",
    TIMELINE,
  ],
  [
    "timeline: what is told of an answer has the run's own",
    "src/runtime/trace/trace.ts",
    "    else if (!this.#awaitsAnswer) this.#giveBack();",
    "    else this.#giveBack();",
    TRACED_RUNS,
  ],
  [
    "timed line: an aborted run stops",
    "src/runtime/compile/timed-line.ts",
    "if (state.control !== null && state.control.stopped) return",
    "if (state.control === 0) return",
    TIMED,
  ],
  [
    "timed line: a fault is counted",
    "src/runtime/compile/timed-line.ts",
    "        panicked(trace.open(node, state, entered, at_us), instruction, cause);",
    '        trace.leave(trace.open(node, state, entered, at_us), "fault", cause);',
    TIMED,
  ],
  [
    "timed line: what is behind it runs",
    "src/runtime/compile/timed-line.ts",
    "length === flat.length ? value :",
    "length > 0 ? value :",
    TIMED,
  ],
  [
    "timed line: what a suspended run does not go on with plainly is told as the loop does",
    "src/runtime/compile/timed-line.ts",
    "if (answer instanceof Control || notes.size !== entered + 1) {",
    "if (notes.size !== entered + 1) {",
    TIMED,
  ],
  [
    "timed line: a node that waits is open",
    "src/runtime/compile/timed-line.ts",
    "      trace.suspendedAt(at, entered);\n",
    "      trace.suspendedAt(at);\n",
    TIMED,
  ],
  [
    "timed line: what has waited was left when its answer came",
    "src/runtime/compile/timed-line.ts",
    "    notes.passed(entered, trace.leaveInLine());\n",
    "    trace.leaveInLine();\n",
    TIMED,
  ],
  [
    "timed line: what is done on the Bus is the node's that runs",
    "src/runtime/compile/timed-line.ts",
    "`        view.node = ${number};`",
    '""',
    TIMED,
  ],
];
