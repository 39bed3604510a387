// Nodes that were entered and not left for too long: a consumer of the recorder port.
//
// A run that is over before the next one begins costs two stores, another one that is over in
// time an entry in a Map. Events of a run that is older than the threshold are read, each once.

import { type Clock, systemClock } from "#core/clock.js";
import { notesOf } from "#core/timeline/recorded-timeline.js";
import type { Recorder, TracedRun } from "#core/timeline/recorder.js";
import type { Timeline } from "#core/timeline/timeline.js";
import type { Stall } from "../api/watching.js";
import type { NewFeedEvent } from "../feed/feed.js";
import { requestSummary } from "../traces/request-summary.js";
import { isAround } from "../traces/visits.js";

/** Feed events of stalls: one at the begin and one at the end. */
export type StallEvent = Extract<NewFeedEvent, { readonly kind: "stall_detected" | "stall_ended" }>;

export interface StallsOptions {
  /** Milliseconds from when a node is entered. Default 30 000: `inspector.stall_threshold_ms`. */
  readonly thresholdMs?: number;
  /** Milliseconds between two checks: a stall is detected up to this much later. Default 1000. */
  readonly everyMs?: number;
  /** Runs watched at once; those that begin beyond are not. Default 100 000. */
  readonly maxRuns?: number;
  /** Stalls at once; those beyond are found at a later look. Default 1000. */
  readonly maxStalls?: number;
  /** True if a breakpoint holds the run: then no node of it stalls. Default: none does. */
  readonly isHeld?: (run: TracedRun) => boolean;
  readonly tell?: (event: StallEvent) => void;
  readonly clock?: Clock;
}

/** A node that was entered and not left. */
interface OpenNode {
  readonly node: string;
  /** When it was entered, or its current try began: since the run began. */
  readonly at_us: number;
}

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

const DEFAULTS = {
  thresholdMs: 30_000,
  everyMs: 1000,
  maxRuns: 100_000,
  maxStalls: 1000,
  isHeld: () => false,
  tell: () => {},
  clock: systemClock,
};

export class Stalls implements Recorder {
  readonly thresholdMs: number;
  readonly #options: Required<StallsOptions>;
  /** In the order in which they began: the first young one ends each look. */
  readonly #runs = new Map<number, Watched>();
  /** The run that began last. It enters the Map if it is not over when the next one begins, or at a look. */
  #last: TracedRun | undefined;
  readonly #stalled = new Map<OpenNode, Stalled>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: StallsOptions = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.thresholdMs = this.#options.thresholdMs;
  }

  readonly begun = (run: TracedRun): void => {
    this.#keepLast();
    if (this.#runs.size >= this.#options.maxRuns) return;
    this.#last = run;
    this.#cancelTimer ??= this.#options.clock.after(this.#options.everyMs, this.#look);
  };

  readonly ended = (run: TracedRun): void => {
    // No look has seen it: it stalled nowhere.
    if (this.#last === run) {
      this.#last = undefined;
      return;
    }
    const watched = this.#runs.get(run.id);
    if (watched === undefined) return;
    this.#runs.delete(run.id);
    if (this.#stalled.size > 0) this.#follow(watched);
  };

  /** Those that have not ended, the oldest first. */
  readonly runs = (): readonly TracedRun[] => {
    this.#keepLast();
    return [...this.#runs.values()].map(({ run }) => run);
  };

  #keepLast(): void {
    if (this.#last === undefined) return;
    const run = this.#last;
    this.#runs.set(run.id, { run, beganAt: this.#options.clock.now() - run.now_us / 1000, nodes: undefined });
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
    const now = this.#options.clock.now();
    for (const watched of this.#runs.values()) {
      if (now - watched.beganAt < this.thresholdMs) break;
      this.#follow(watched);
      if (!this.#options.isHeld(watched.run)) this.#find(watched);
    }
    this.#cancelTimer =
      this.#runs.size > 0 ? this.#options.clock.after(this.#options.everyMs, this.#look) : undefined;
  };

  /** Ends the stalls of the nodes that were left. */
  #follow(watched: Watched): void {
    const { run } = watched;
    watched.nodes ??= new OpenNodes();
    watched.nodes.follow(notesOf(run), (node, at_us) => {
      if (!this.#stalled.delete(node)) return;
      const stalled_ms = (at_us - node.at_us) / 1000;
      this.#options.tell({ kind: "stall_ended", run_id: run.runId, node: node.node, stalled_ms });
    });
  }

  #find(watched: Watched): void {
    for (const node of watched.nodes?.innermost(watched.run.waitsAt) ?? []) {
      if (this.#stalled.has(node) || this.#ageOf(watched, node) < this.thresholdMs) continue;
      if (this.#stalled.size >= this.#options.maxStalls) return;
      const stall = this.#stallOf(watched, node);
      this.#stalled.set(node, { run: watched, stall });
      this.#options.tell({ kind: "stall_detected", stall });
    }
  }

  #stallOf(watched: Watched, node: OpenNode): Stall {
    const { circuit, runId, request } = watched.run;
    return {
      run_id: runId,
      circuit: circuit.name,
      node: node.node,
      label: circuit.nodes.find(({ id }) => id === node.node)?.label ?? node.node,
      entered_at: notesOf(watched.run).started_at + node.at_us / 1000,
      stalled_ms: this.#ageOf(watched, node),
      threshold_ms: this.thresholdMs,
      request: request ? requestSummary(request) : null,
    };
  }

  #ageOf({ beganAt }: Watched, { at_us }: OpenNode): number {
    return this.#options.clock.now() - beganAt - at_us / 1000;
  }
}

/** The open nodes of one run, from the events of its Timeline, each read once. */
class OpenNodes {
  /** In the order in which they were entered. */
  #open: readonly OpenNode[] = [];
  #read = 0;

  /** Reads the new events, and calls `left` for each node that was left. */
  follow({ events, dropped }: Timeline, left: (node: OpenNode, at_us: number) => void): void {
    // An event that was not kept may have left any open node.
    if (dropped > 0) {
      const lost = this.#open;
      this.#open = [];
      for (const node of lost) left(node, node.at_us);
      return;
    }
    const open = [...this.#open];
    for (; this.#read < events.length; this.#read += 1) {
      const event = events[this.#read];
      if (event?.kind === "node_enter") open.push({ node: event.node, at_us: event.at_us });
      if (event?.kind !== "node_exit" && event?.kind !== "node_retry") continue;
      const at = open.findLastIndex(({ node }) => node === event.node);
      for (const node of at < 0 ? [] : open.splice(at, 1)) {
        left(node, event.at_us);
        // A try that failed is over, and the pause before the next one stalls nothing.
        if (event.kind === "node_retry")
          open.splice(at, 0, { node: node.node, at_us: event.at_us + event.delay_ms * 1000 });
      }
    }
    this.#open = open;
  }

  /**
   * Nodes without an open node inside: of nodes inside one another the innermost stalls. None around
   * a wait for a store, at one of the nodes `waitsAt`.
   */
  innermost(waitsAt: readonly string[] = []): readonly OpenNode[] {
    return this.#open.filter((outer, at) => {
      const inside = [...this.#open.slice(at + 1).map(({ node }) => node), ...waitsAt];
      return !inside.some((inner) => isAround(outer.node, inner));
    });
  }
}
