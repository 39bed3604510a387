// What a run tells of its nodes, until its request is answered: then they are spans.

import { isFault } from "#core/outcome.js";
import type { Recorder, TracedRun, WatchedCircuit } from "#core/recorder.js";
import type { NodeOutcome, TimelineEvent } from "#core/timeline.js";

/** Of more only the number is told. */
const MAX_NODES = 128;

export interface LeftNode {
  readonly id: string;
  readonly label: string;
  readonly circuit: string;
  /** As `performance.now()` has it. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: NodeOutcome;
  /** Of a fault that has one. */
  readonly code: string | undefined;
  readonly retries: readonly { readonly at: number; readonly attempt: number; readonly delayMs: number }[];
}

export class RunNodes implements Recorder {
  readonly left: LeftNode[] = [];
  dropped = 0;
  /** When the run began, as `performance.now()` has it. */
  #began = Number.NaN;

  readonly afterNode = (run: TracedRun, id: string, outcome: unknown): void => {
    const { events } = run.timeline;
    const exit = events.at(-1);
    if (exit?.kind !== "node_exit" || exit.node !== id || this.left.length === MAX_NODES) {
      this.dropped += 1;
      return;
    }
    // Told at once: the event is as old as its call.
    if (Number.isNaN(this.#began)) this.#began = performance.now() - exit.at_us / 1000;
    const at = (us: number): number => this.#began + us / 1000;
    const enteredAt = exit.at_us - exit.duration_us;
    this.left.push({
      id,
      label: labelOf(run.circuit, id),
      circuit: run.circuit.name,
      startedAt: at(enteredAt),
      endedAt: at(exit.at_us),
      outcome: exit.outcome,
      code: isFault(outcome) ? codeOf(outcome.error) : undefined,
      retries: retriesOf(events, id, enteredAt).map(({ at_us, attempt, delay_ms }) => ({
        at: at(at_us),
        attempt,
        delayMs: delay_ms,
      })),
    });
  };

  /** The node whose fault is what the run came to; undefined where it has none. */
  get failed(): LeftNode | undefined {
    return (
      this.left.findLast(({ outcome, code }) => outcome === "fault" && code !== undefined) ??
      this.left.findLast(({ outcome }) => outcome === "fault")
    );
  }
}

type Retry = Extract<TimelineEvent, { kind: "node_retry" }>;

/** Those since it was entered. */
function retriesOf(events: readonly TimelineEvent[], id: string, since: number): readonly Retry[] {
  const found: Retry[] = [];
  for (let i = events.length - 2; i >= 0; i -= 1) {
    const event = events[i] as TimelineEvent;
    if (event.at_us < since) break;
    if (event.kind === "node_retry" && event.node === id) found.unshift(event);
  }
  return found;
}

const labels = new WeakMap<WatchedCircuit, ReadonlyMap<string, string>>();

function labelOf(circuit: WatchedCircuit, id: string): string {
  let known = labels.get(circuit);
  if (known === undefined) {
    known = new Map(circuit.nodes.map((node) => [node.id, node.label]));
    labels.set(circuit, known);
  }
  return known.get(id) ?? id;
}

// What is no constant may hold anything.
const CODE = /^[\w.:-]{1,64}$/;

/** What an error calls itself: its `code`, or its `kind`. Anything can be a fault's error. */
function codeOf(error: unknown): string | undefined {
  if (typeof error === "string") return CODE.test(error) ? error : undefined;
  if (typeof error !== "object" || error === null) return undefined;
  try {
    const { code, kind } = error as { readonly code?: unknown; readonly kind?: unknown };
    const named = typeof code === "string" ? code : kind;
    return typeof named === "string" && CODE.test(named) ? named : undefined;
  } catch {
    return undefined;
  }
}
