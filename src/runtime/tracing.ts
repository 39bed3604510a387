import type { Clock } from "#core/clock.js";
import type { Recorder, WatchedCircuit } from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import type { Shapes } from "#core/timeline-shapes.js";
import type { Instruction } from "./instruction.js";
import type { RunOrigin } from "./run-origin.js";
import type { TimedLine } from "./timed-line.js";

/** What the traced runs of a program share. */
export interface Tracing {
  readonly circuit: WatchedCircuit;
  /** The instructions of the traced variant. */
  readonly code: readonly Instruction[];
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Undefined where its runs are none of an ingress. */
  readonly origin: RunOrigin | undefined;
  readonly shapes: Shapes;
  /** By `key.slot`, 1 for keys whose accesses its recorder is told of. Undefined for all of them. */
  readonly toldSlots: Uint8Array | undefined;
  /** Undefined where all its runs go through the loop. */
  readonly line: TimedLine | undefined;
}
