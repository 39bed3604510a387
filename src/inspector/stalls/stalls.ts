// Nodes that were entered and not left for too long: a consumer of the recorder port.
//
//   SL1. A run that is over before the next begins costs an object, another in time an entry in a Map. The events of one that is
//        older than the threshold are looked at, each once.
//   SL2. A stall is told of once, and so is its end: when its node is left, or its run is over.
//   SL3. Of nodes inside one another the innermost stalls; the others wait for it.

import { type Clock, MAX_TIMER_MS, systemClock } from "#core/clock.js";
import type { Recorder, TracedRun } from "#core/recorder.js";
import { namesOf, requireKnown } from "#http/known-options.js";
import { requireInteger } from "#http/required-integer.js";
import type { FeedEvent } from "../api/events.js";
import type { Stall } from "../api/watching.js";
import { shownRequest } from "../traces/shown-request.js";
import { type OpenNode, OpenNodes } from "./open-nodes.js";

type Untimed<E> = E extends unknown ? Omit<E, "seq" | "at"> : never;

/** What the feed is told of stalls. */
export type StallEvent = Untimed<Extract<FeedEvent, { readonly kind: "stall_detected" | "stall_ended" }>>;

export interface StallsOptions {
  /** Milliseconds from when a node is entered. Default 30 000: `inspector.stall_threshold_ms`. */
  readonly thresholdMs?: number;
  /** Milliseconds from one look to the next: so much later a stall may be told of. Default 1000. */
  readonly everyMs?: number;
  /** Runs looked after at once; those that begin beyond are counted in `overlooked`. Default 100 000. */
  readonly maxRuns?: number;
  /** Stalls at once; those beyond are counted in `overlooked`. Default 1000. */
  readonly maxStalls?: number;
  /** Whether a breakpoint holds the run: then no node of it stalls. Default: none does. */
  readonly isHeld?: (run: TracedRun) => boolean;
  readonly tell?: (event: StallEvent, circuit: string) => void;
  readonly clock?: Clock;
}

const OPTIONS = namesOf<StallsOptions>({
  thresholdMs: true,
  everyMs: true,
  maxRuns: true,
  maxStalls: true,
  isHeld: true,
  tell: true,
  clock: true,
});

/** A run that is not over. */
interface Watched {
  readonly run: TracedRun;
  /** By the clock of the Inspector. */
  readonly beganAt: number;
  /** Made when it is looked at: nearly every run is over before. */
  nodes: OpenNodes | undefined;
}

interface Stalled {
  readonly run: Watched;
  readonly stall: Stall;
}

export class Stalls implements Recorder {
  readonly thresholdMs: number;
  /** Runs that nobody looks after and stalls that nobody was told of, because there were too many. */
  overlooked = 0;
  readonly #everyMs: number;
  readonly #maxRuns: number;
  readonly #maxStalls: number;
  readonly #isHeld: (run: TracedRun) => boolean;
  readonly #tell: NonNullable<StallsOptions["tell"]>;
  readonly #clock: Clock;
  // In the order in which they began: the first that is young ends each look (SL1).
  readonly #runs = new Map<number, Watched>();
  /** The run that began last, which comes into the Map if it is not over when the next one begins, or somebody looks. */
  #last: Watched | undefined;
  readonly #stalled = new Map<OpenNode, Stalled>();
  #cancelTimer: (() => void) | undefined;

  /** Throws CONFIG_INVALID. */
  constructor(options: StallsOptions = {}) {
    requireKnown("stall detection", options, OPTIONS);
    const { thresholdMs = 30_000, everyMs = 1000, maxRuns = 100_000, maxStalls = 1000 } = options;
    this.thresholdMs = requireInteger("thresholdMs", thresholdMs, 1, MAX_TIMER_MS);
    this.#everyMs = requireInteger("everyMs", everyMs, 1, MAX_TIMER_MS);
    this.#maxRuns = requireInteger("maxRuns", maxRuns, 1, 10_000_000);
    this.#maxStalls = requireInteger("maxStalls", maxStalls, 1, 100_000);
    this.#isHeld = options.isHeld ?? (() => false);
    this.#tell = options.tell ?? (() => {});
    this.#clock = options.clock ?? systemClock;
  }

  readonly begun = (run: TracedRun): void => {
    this.#keepLast();
    if (this.#runs.size >= this.#maxRuns) {
      this.overlooked += 1;
      return;
    }
    this.#last = { run, beganAt: this.#clock.now(), nodes: undefined };
    this.#cancelTimer ??= this.#clock.after(this.#everyMs, this.#look);
  };

  readonly ended = (run: TracedRun): void => {
    // It stalled nowhere: nobody has looked at it.
    if (this.#last?.run === run) {
      this.#last = undefined;
      return;
    }
    const watched = this.#runs.get(run.id);
    if (watched === undefined) return;
    this.#runs.delete(run.id);
    if (this.#stalled.size > 0) this.#follow(watched);
  };

  #keepLast(): void {
    if (this.#last === undefined) return;
    this.#runs.set(this.#last.run.id, this.#last);
    this.#last = undefined;
  }

  /** The stalls of now, the longest first. */
  list(): readonly Stall[] {
    const shown = [...this.#stalled].map(([node, { run, stall }]) => ({
      ...stall,
      stalled_ms: this.#ageOf(run, node),
    }));
    return shown.sort((a, b) => b.stalled_ms - a.stalled_ms);
  }

  /** The server stops. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#runs.clear();
    this.#last = undefined;
    this.#stalled.clear();
  }

  readonly #look = (): void => {
    this.#keepLast();
    const now = this.#clock.now();
    for (const watched of this.#runs.values()) {
      if (now - watched.beganAt < this.thresholdMs) break;
      this.#follow(watched);
      if (!this.#isHeld(watched.run)) this.#find(watched);
    }
    this.#cancelTimer = this.#runs.size > 0 ? this.#clock.after(this.#everyMs, this.#look) : undefined;
  };

  /** Ends the stalls of the nodes that were left (SL2). */
  #follow(watched: Watched): void {
    const { run } = watched;
    watched.nodes ??= new OpenNodes();
    watched.nodes.follow(run.timeline, (node, at_us) => {
      const stalled = this.#stalled.get(node);
      if (stalled === undefined) return;
      this.#stalled.delete(node);
      const stalled_ms = (at_us - node.at_us) / 1000;
      this.#tell({ kind: "stall_ended", run_id: run.runId, node: node.node, stalled_ms }, run.circuit.name);
    });
  }

  #find(watched: Watched): void {
    for (const node of watched.nodes?.innermost() ?? []) {
      if (this.#stalled.has(node) || this.#ageOf(watched, node) < this.thresholdMs) continue;
      if (this.#stalled.size >= this.#maxStalls) {
        this.overlooked += 1;
        continue;
      }
      const stall = this.#stallOf(watched, node);
      this.#stalled.set(node, { run: watched, stall });
      this.#tell({ kind: "stall_detected", stall }, stall.circuit);
    }
  }

  #stallOf(watched: Watched, node: OpenNode): Stall {
    const { circuit, runId, request, timeline } = watched.run;
    return {
      run_id: runId,
      circuit: circuit.name,
      node: node.node,
      label: circuit.nodes.find(({ id }) => id === node.node)?.label ?? node.node,
      entered_at: timeline.started_at + node.at_us / 1000,
      stalled_ms: this.#ageOf(watched, node),
      threshold_ms: this.thresholdMs,
      request: request ? shownRequest(request) : null,
    };
  }

  #ageOf({ beganAt }: Watched, { at_us }: OpenNode): number {
    return this.#clock.now() - beganAt - at_us / 1000;
  }
}
