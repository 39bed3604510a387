// A run inside a run: its own Bus and its own end, with the same values or a copy of them.
//
//   F1. An abort of the run aborts the fork, a halt halts it; neither goes from the fork to the run.
//   F2. The Bus of a closed fork refuses every call: a step that continues after its time-out
//       cannot change the run.
//   F3. A lazy value is made once for the run, whether the run or a fork reads it first.

import type { AnyKey } from "#core/bus/bus-key.js";
import { RunControl } from "./run-control.js";
import { RunState, releasedState } from "./run-state.js";

export class Fork extends RunState {
  override readonly control: RunControl = new RunControl();
  readonly run: RunState;
  readonly #leaveRun: () => void;

  constructor(run: RunState, values: "shared" | "copied") {
    super(run.layout, values === "shared" ? run.values : run.values.slice());
    this.request = run.request;
    this.counters = run.counters;
    const { trace, mark } = run.duties;
    if (trace !== null) this.due().trace = trace;
    if (mark !== null) this.due().mark = mark;
    this.run = run;
    run.control ??= new RunControl();
    const { control } = run;
    this.#leaveRun = control.whenStopped(() =>
      control.aborted ? this.control.abort(control.reason) : this.control.halt(control.reason),
    );
    this.control.isDue = () => control.stopped;
  }

  override get around(): RunState {
    return this.run;
  }

  override make(key: AnyKey): unknown {
    const slot = this.slotOf(key);
    if (this.layout.lazy[slot] === undefined) return undefined;
    const known = this.run.values[slot];
    // Not `??`: null is a value.
    const value = known === undefined ? this.run.make(key) : known;
    this.values[slot] = value;
    return value;
  }

  override label(name: string, value: string): void {
    this.run.label(name, value);
  }

  override get jumpsTaken(): number {
    return this.run.jumpsTaken;
  }

  override countJump(): number {
    return this.run.countJump();
  }

  override addPart(part: Promise<unknown>): void {
    super.addPart(part);
    this.run.addPart(part);
  }

  /** The fork is not used after this call (F2). */
  close(): void {
    this.due().isOver = true;
    this.#leaveRun();
    this.bus.state = releasedState;
  }
}

/** Runs `body` in a fork, which is closed when its answer settles. */
export function inFork(run: RunState, values: "shared" | "copied", body: (fork: Fork) => unknown): unknown {
  const fork = new Fork(run, values);
  let answer: unknown;
  try {
    answer = body(fork);
  } catch (cause) {
    fork.close();
    throw cause;
  }
  if (!(answer instanceof Promise)) {
    fork.close();
    return answer;
  }
  return answer.finally(() => fork.close());
}
