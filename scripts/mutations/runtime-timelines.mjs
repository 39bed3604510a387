// Lines of who watches runs. mutate.mjs says what a row is.

const WATCH = "native-tests/runtime/watch.test.ts";
const RECORDER = "native-tests/runtime/recorder.test.ts";
const RUN_ABORT = "native-tests/runtime/recorder-abort.test.ts";
const TRACED_RUNS = "native-tests/http/ingress/traced-runs.test.ts";
const TIMELINE = "native-tests/runtime/timeline.test.ts";
const EXECUTOR = "native-tests/runtime/executor.test.ts";
const TIMED = "native-tests/runtime/timed-line.test.ts";
const SHAPES = "native-tests/core/recorded-timeline.test.ts";

export default [
  [
    "recorder: a run that is over is not aborted, nor the next one in its state",
    "src/runtime/trace.ts",
    "    if (this.#over) return;\n    this.#state.control ??=",
    "    this.#state.control ??=",
    RUN_ABORT,
  ],
  [
    "assertTimeline: lost events are not none",
    "src/runtime/axon-test-kit.ts",
    "if (timeline.dropped > 0)",
    "if (timeline.dropped < 0)",
    "native-tests/runtime/assert-timeline.test.ts",
  ],
  [
    "assertTimeline: nothing is something to expect",
    "src/runtime/axon-test-kit.ts",
    "expected.length === 0 || ",
    "",
    "native-tests/runtime/assert-timeline.test.ts",
  ],
  [
    "recorder: a rejection",
    "src/runtime/answers.ts",
    "void settled(call, () => {}, failed);",
    "void settled(call, () => {}, () => {});",
    "native-tests/runtime/timeline.test.ts",
  ],
  [
    "timeline: a wait before a node",
    "src/runtime/trace.ts",
    "  tell(event: Untimed<TimelineEvent>): void {\n    this.pass();",
    "  tell(event: Untimed<TimelineEvent>): void {",
    "native-tests/runtime/timeline.test.ts",
  ],
  [
    "watching: every so many runs",
    "src/runtime/watch.ts",
    "if (runs < every) return counted(input, state);",
    "if (runs <= every) return counted(input, state);",
    WATCH,
  ],
  [
    "watching: held event loops",
    "src/runtime/counters.ts",
    "ms < BLOCKED_FROM_MS",
    "ms <= BLOCKED_FROM_MS",
    WATCH,
  ],
  [
    "watching: a fault is counted where runs are traced",
    "src/runtime/traced-step.ts",
    '  if (outcome === "fault") counters?.failed(number);\n',
    "",
    WATCH,
  ],
  [
    "watching: what is open is closed",
    "src/runtime/trace.ts",
    'if (this.#open.length > 0) this.leaveAll(undefined, aborted ? "aborted" : "fault", outcome);',
    "",
    TIMELINE,
  ],
  [
    "watching: the closest level counts",
    "src/runtime/watch.ts",
    "return CLOSENESS[a.kind] < CLOSENESS[b.kind] ? b : a;",
    "return b;",
    WATCH,
  ],
  [
    "watching: behind its end nothing is told of a Bus",
    "src/runtime/trace.ts",
    "    if (this.#over) return;\n    if (this.#notesAccesses)",
    "    if (this.#notesAccesses)",
    RECORDER,
  ],
  [
    "watching: an answer is told behind the end",
    "src/runtime/trace.ts",
    "if (this.#over) this.#tellAnswer(answer);",
    "if (!this.#over) this.#tellAnswer(answer);",
    TRACED_RUNS,
  ],
  [
    "watching: each node sees the Bus as its own",
    "src/runtime/traced-step.ts",
    "trace.hasViews ? new TracedBus(bus, routes.node, span) : bus",
    "bus",
    RECORDER,
  ],
  [
    "watching: what a step answers is not read again behind it",
    "src/runtime/traced-step.ts",
    "    trace.foundPlain(answer);\n",
    "",
    EXECUTOR,
  ],
  [
    "watching: a mark reads nothing of what it hands on",
    "src/runtime/trace.ts",
    "found === answer || (isMark && answer === input) ||",
    "found === answer ||",
    EXECUTOR,
  ],
  [
    "shapes: a run that parts goes on as one that began as it did",
    "src/core/timeline-shapes.ts",
    "other !== shape && fits(other) && other.agrees(shape, events, accesses)",
    "other !== shape && fits(other)",
    SHAPES,
  ],
  [
    "shapes: other events are compared, whatever their time",
    "src/core/timeline-shapes.ts",
    'name === "at_us" || (Object.hasOwn(b, name) && Object.is(a[name], b[name]))',
    'name === "at_us" || Object.hasOwn(b, name)',
    SHAPES,
  ],
  [
    "shapes: a shape that is another's is not written to",
    "src/core/recorded-timeline.ts",
    "this.#shape = other ?? this.#shape.begun(this.#size, this.#accessed);",
    "this.#shape = other ?? this.#shape;",
    SHAPES,
  ],
  [
    "shapes: a copy forgets the events of the one before",
    "src/core/recorded-timeline.ts",
    "    this.#accessed = other.#accessed;\n    this.#events = null;",
    "    this.#accessed = other.#accessed;",
    SHAPES,
  ],
  [
    "timed line: a node that was left elsewhere is open",
    "src/runtime/timed-line.ts",
    "    trace.timeline.follow(shape, before + 1);\n",
    "    trace.timeline.follow(shape, before);\n",
    TIMED,
  ],
  [
    "timed line: an aborted run stops",
    "src/runtime/timed-line.ts",
    "        if (state.control !== null && state.control.stopped) return stop(at, state, trace);",
    "        if (state.control === 0) return stop(at, state, trace);",
    TIMED,
  ],
  [
    "timed line: what tells more is left to the loop",
    "src/runtime/timed-line.ts",
    "isMark || isRetried || parts.length > 0",
    "isMark || parts.length > 0",
    TIMED,
  ],
  [
    "timed line: a fault is counted",
    "src/runtime/timed-line.ts",
    "        panicked(visit, instruction, cause);",
    '        trace.leave(visit, "fault", cause);',
    TIMED,
  ],
  [
    "timed line: what is behind it runs",
    "src/runtime/timed-line.ts",
    "length === flat.length ? value :",
    "length > 0 ? value :",
    TIMED,
  ],
  [
    "timed line: what a suspended run does not go on with plainly is told as the loop does",
    "src/runtime/timed-line.ts",
    "if (answer instanceof Control || trace.timeline.size !== left) {",
    "if (trace.timeline.size !== left) {",
    TIMED,
  ],
  [
    "timed line: a node that waits is open",
    "src/runtime/timed-line.ts",
    "      trace.timeline.follow(shape, (eventsBefore[at] as number) + 1);\n",
    "      trace.timeline.follow(shape, eventsBefore[at] as number);\n",
    TIMED,
  ],
  [
    "timed line: what has waited was left when its answer came",
    "src/runtime/timed-line.ts",
    "    trace.timeline.times[left] = trace.leaveInLine();\n",
    "    trace.leaveInLine();\n",
    TIMED,
  ],
];
