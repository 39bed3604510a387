// Steps as the traced variant of an Axon runs them: reported before and after.

import { Control, type Emit, isBranch, isEmit, isFault, isJump } from "#core/bus/outcome.js";
import { isWaiting } from "#core/bus/runtime-fault.js";
import type { NodeSpan } from "#core/timeline/recorder.js";
import type { NodeOutcome } from "#core/timeline/timeline.js";
import { emitting, isPlain, panicOf, pendingOf } from "../run/answers.js";
import type { Instruction } from "../run/instruction.js";
import { SUSPENDED } from "../run/instruction.js";
import { branchPath } from "../run/node-id.js";
import type { RunBus, RunState } from "../run/run-state.js";
import type { RunTrace, Visit } from "../run/run-trace.js";
import { TracedBus } from "./traced-bus.js";

type Step = Instruction["step"];

export type Routes = Pick<
  Instruction,
  "name" | "node" | "number" | "branches" | "jumps" | "emits" | "parts" | "isLayer"
>;

export const tracedStep = (inner: Step, routes: Routes): Step => ({
  run: (input, bus) =>
    bus.state.duties.trace?.holds === true
      ? heldVisit(inner, routes, input, bus)
      : visited(inner, routes, input, bus),
});

// A separate function, like the waiting code: a closure allocates its context at each call of the
// function that contains it.
const heldVisit = (inner: Step, routes: Routes, input: unknown, bus: RunBus): unknown =>
  held(bus, routes.node, input, (given) => visited(inner, routes, given, bus));

/** Runs before a subgraph's own steps. */
export const entering = (node: string): Step => ({
  run(input, bus) {
    if (bus.state.control?.stopped === true) return input;
    return held(bus, node, input, (given) => {
      bus.state.duties.trace?.enter(node, given, bus.state);
      return given;
    });
  },
});

/** Runs after them. */
export const leaving = (node: string): Step => ({
  run(input, bus) {
    bus.state.duties.trace?.leaveNode(node, bus.state, input);
    return input;
  },
});

/** Runs between nodes: the next node is entered behind it. */
export const betweenNodes = (inner: Step): Step => ({
  run(input, bus) {
    const answer = inner.run(input, bus);
    bus.state.duties.trace?.pass();
    return answer;
  },
});

/** Runs before node `node` and makes the values it needs: a failure counts as that node's. */
export const providing = (inner: Step, node: string): Step => ({
  run(input, bus) {
    const { state } = bus;
    const failed = (cause: unknown): never => {
      state.duties.trace?.failBefore(node, input, state);
      throw cause;
    };
    try {
      const made = inner.run(input, bus);
      // Not pending: reading its `then` again could run the program's code.
      if (made === input) return made;
      return pendingOf(made)?.catch(failed) ?? made;
    } catch (cause) {
      return failed(cause);
    }
  },
});

/** Continues once the recorder allows it, with the recorder's input. */
function held(bus: RunBus, node: string, input: unknown, goOn: (input: unknown) => unknown): unknown {
  const { state } = bus;
  const given = state.duties.trace?.before(node, input);
  // An input may be a promise: the payload of a branch is not awaited.
  if (given === input || !(given instanceof Promise)) return goOn(given);
  return given.then((settled) =>
    state.control?.stopped === true ? state.control.abortion() : goOn(settled),
  );
}

function visited(inner: Step, routes: Routes, input: unknown, bus: RunBus): unknown {
  const { state } = bus;
  const { counters } = state;
  const trace = state.duties.trace as RunTrace<RunState>;
  const visit = trace.enter(routes.node, input, state, routes.isLayer);
  counters?.enter(routes.number);
  const before = counters === null ? 0 : counters.clock[0];
  let answer: unknown;
  let plain: boolean;
  let pending: Promise<unknown> | undefined;
  try {
    const { span } = visit;
    const seen = trace.hasViews ? new TracedBus(bus, routes.number, span) : bus;
    answer = span === undefined ? inner.run(input, seen) : inSpan(span, inner, input, seen);
    // Inside the try, and once: reading `then` is part of the step (L3), and a getter may differ next time.
    plain = isPlain(answer);
    if (!plain) pending = pendingOf(isEmit(answer) ? answer.value : answer);
  } catch (cause) {
    return panicked(visit, routes, cause);
  }
  if (routes.parts.length === 0) counters?.hold(routes.number, before);
  if (plain) {
    trace.leave(visit, "next", answer);
    if (routes.parts.length === 0) counters?.took(routes.number, trace.left_us - visit.at_us);
    trace.foundPlain(answer);
    return answer;
  }
  return told(visit, routes, answer, pending);
}

/** Reports the answer of a node that was entered elsewhere, and returns it. Throws if reading it throws. */
export function answered(visit: Visit<RunState>, routes: Routes, answer: unknown): unknown {
  let pending: Promise<unknown> | undefined;
  try {
    pending = pendingOf(isEmit(answer) ? answer.value : answer);
  } catch (cause) {
    return panicked(visit, routes, cause);
  }
  return told(visit, routes, answer, pending);
}

function told(
  visit: Visit<RunState>,
  routes: Routes,
  answer: unknown,
  pending: Promise<unknown> | undefined,
): unknown {
  const { counters, duties } = visit.state;
  // Only the input step, which has done nothing yet.
  if (answer === SUSPENDED) {
    duties.trace?.suspend((settled) => tellAnswer(visit, routes, settled));
    return SUSPENDED;
  }
  if (counters !== null && routes.parts.length === 0 && duties.trace !== null)
    counters.took(routes.number, duties.trace.now_us - visit.at_us);
  if (pending !== undefined) return later(visit, routes, answer, pending);
  tellAnswer(visit, routes, answer);
  return answer;
}

// A separate function, as above.
const inSpan = (span: NodeSpan, inner: Step, input: unknown, bus: RunBus): unknown =>
  span.run(() => inner.run(input, bus));

/** The node is left when its answer, or the value that it emits, settles. */
function later(visit: Visit<RunState>, routes: Routes, answer: unknown, pending: Promise<unknown>): unknown {
  const failed = (cause: unknown): never => panicked(visit, routes, cause);
  // Other runs may execute before the next node is entered.
  const pass = (): void => visit.state.duties.trace?.pass();
  if (!isEmit(answer))
    return pending.then((settled) => {
      tellAnswer(visit, routes, settled);
      pass();
      return settled;
    }, failed);
  // The event is sent now, as in an untraced run.
  tellEvent(visit, routes, answer);
  const settled = (value: unknown): unknown => {
    leave(visit, routes, isFault(value) ? "fault" : "emit", emitting(answer, value));
    pass();
    return value;
  };
  return emitting(answer, pending.then(settled, failed));
}

/** Reports how a node was left, and where its answer leads. */
export function tellAnswer(visit: Visit<RunState>, routes: Routes, answer: unknown): void {
  // The usual case.
  if (!(answer instanceof Control)) {
    leave(visit, routes, "next", answer);
    return;
  }
  const outcome = outcomeOf(routes, answer);
  if (isEmit(answer)) {
    tellEvent(visit, routes, answer);
    const inner = outcomeOf(routes, answer.value);
    leave(visit, routes, outcome === "emit" && inner !== "next" ? inner : outcome, answer);
    return;
  }
  leave(visit, routes, outcome, answer);
  const { node, state } = visit;
  const { trace } = state.duties;
  if (outcome === "branch" && isBranch(answer)) {
    trace?.tell({ kind: "branch_taken", node, branch: answer.id });
    visit.span?.branched(answer.id, branchPath(node, answer.id), trace?.now_us ?? 0);
  }
  if (outcome === "jump" && isJump(answer))
    state.duties.trace?.tell({ kind: "jump_taken", node, label: answer.label });
}

function tellEvent(
  { node, state }: Visit<RunState>,
  { emits }: Routes,
  { event }: Emit<string, unknown>,
): void {
  if (emits.has(event.name)) state.duties.trace?.tell({ kind: "emitted", node, event: event.name });
}

/** The step threw, or its promise rejected: the caller makes the fault. */
export function panicked(visit: Visit<RunState>, routes: Routes, cause: unknown): never {
  const told = visit.state.duties.trace?.tellsAfter === true ? panicOf(routes.name, cause) : undefined;
  leave(visit, routes, "fault", told);
  throw cause;
}

function leave(visit: Visit<RunState>, { number }: Routes, outcome: NodeOutcome, answer: unknown): void {
  const { duties, counters } = visit.state;
  if (outcome === "fault") counters?.failed(number);
  duties.trace?.leave(visit, outcome, answer);
}

function outcomeOf({ branches, jumps, emits }: Routes, answer: unknown): NodeOutcome {
  if (isFault(answer)) return isWaiting(answer) ? "next" : "fault";
  if (isBranch(answer)) return branches.has(answer.id) ? "branch" : "fault";
  if (isJump(answer)) return jumps.has(answer.label) ? "jump" : "fault";
  if (isEmit(answer)) return emits.has(answer.event.name) ? "emit" : "fault";
  return "next";
}
