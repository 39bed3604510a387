// The figures of all circuits with one name: an Axon of several routes is one circuit.

import { type RunOutcome, runOutcomeOf } from "#core/bus/run-outcome.js";
import type { Schematic } from "#core/flow/schematic.js";
import {
  type Durations,
  type NodeFinder,
  notesOf,
  RecordedTimeline,
} from "#core/timeline/recorded-timeline.js";
import type { RunAnswer, TracedRun, WatchedCircuit } from "#core/timeline/recorder.js";
import type { Timeline } from "#core/timeline/timeline.js";
import { CountHistory } from "./measure/count-history.js";
import { LatencySeries } from "./measure/latency-series.js";
import type { Measured } from "./measure/measured.js";
import { NODE_COUNTERS, NodeSeries } from "./node-series.js";

/** Index of the circuit's counters; those of its nodes follow. */
export const RUNS = 0;
export const FAULTS = 1;
/** Runs that entered no node, because their request was refused below 500. */
export const UNENTERED = 2;
/** Traced runs: ended, faulted, and of the faulted: refused, refused before a step, and answered below 400. */
export const TRACED = 3;
export const TRACED_FAULTS = 4;
export const REFUSED = 5;
export const REFUSED_INPUT = 6;
export const PASSED = 7;
/** Traced runs that were aborted; of these, and of the completed ones, those with a 5xx response. */
export const ABORTED = 8;
export const GAVE_UP = 9;
export const UNSENT = 10;
/** Microseconds that traced runs waited for their logs and locks. */
export const WAITED_US = 11;
const FIRST_NODE = 12;

/** A watched circuit, and the index of each of its nodes in the series. */
interface Source {
  readonly circuit: WatchedCircuit;
  readonly nodes: readonly NodeSeries[];
  readonly deciding: readonly number[];
}

export class CircuitSeries {
  readonly name: string;
  /** Version of the latest mounted circuit. */
  version = "";
  readonly latencies: LatencySeries;
  /** Up to the last tick. */
  readonly history = new CountHistory();
  /** Traced runs in flight. */
  inFlight = 0;
  /** Results of traced runs. */
  readonly ended: Record<RunOutcome, number> = { ok: 0, refused_input: 0, fault: 0, aborted: 0 };
  readonly #measured: Measured;
  readonly #nodes = new Map<string, NodeSeries>();
  /** By the number of each node's duration series. */
  readonly #byNumber = new Map<number, NodeSeries>();
  readonly #finder: NodeFinder<number> = { of: (id) => this.#nodes.get(id)?.number ?? UNKNOWN_NODE };
  readonly #durations: Durations<number>;
  readonly #refusals: Durations<number>;
  readonly #sources: Source[] = [];
  #counts = new Float64Array(FIRST_NODE);
  /** Counts of all traced runs, at the indices of RUNS and FAULTS 0. */
  readonly #traced = new Float64Array(FIRST_NODE);
  /** Runs that faulted or were aborted, and whose response is not sent. */
  readonly #unanswered = new WeakMap<TracedRun, RunOutcome>();
  #hasUnanswered = false;
  /** The latest such run, until the next tick: nearly always the next response is its own. */
  #last: { readonly run: TracedRun; readonly ended: RunOutcome } | undefined;
  /** Up to the last tick. */
  #faults = 0;
  #nodeFaults = 0;
  /** Traced ones. */
  #begun = 0;

  constructor(name: string, measured: Measured) {
    this.name = name;
    this.#measured = measured;
    this.latencies = new LatencySeries(measured);
    const of = (number: number): Pick<NodeSeries, "tracedFaults" | "refused"> =>
      this.#byNumber.get(number) ?? UNKNOWN_FIGURES;
    this.#durations = {
      took: (number, us) => {
        if (number >= 0) measured.add(number, us);
      },
      faulted: (number) => {
        of(number).tracedFaults += 1;
      },
    };
    this.#refusals = {
      took: () => {},
      faulted: (number) => {
        of(number).refused += 1;
      },
    };
  }

  add(circuit: WatchedCircuit): void {
    this.version = circuit.version;
    const nodes = circuit.nodes.map(({ id, label }) => this.#nodeOf(id, label));
    this.#sources.push({ circuit, nodes, deciding: deciding(nodes) });
    this.#counts = new Float64Array(FIRST_NODE + this.#nodes.size * NODE_COUNTERS);
  }

  get nodes(): readonly NodeSeries[] {
    return [...this.#nodes.values()];
  }

  /** Sets the kinds of the nodes. */
  describe(schematic: Schematic): void {
    for (const { id, kind, schematic: inner } of schematic.nodes) {
      const node = this.#nodes.get(id);
      if (node !== undefined) node.kind = kind;
      if (inner !== undefined) this.describe(inner);
    }
  }

  /** Called when a traced run begins. */
  runBegan(): void {
    this.inFlight += 1;
  }

  /** Called when a traced run ends. */
  runEnded(run: TracedRun, outcome: unknown): void {
    const timeline = notesOf(run);
    this.inFlight -= 1;
    tellDurations(timeline, this.#finder, this.#durations);
    const ended = runOutcomeOf(outcome, this.name);
    this.ended[ended] += 1;
    this.#count(TRACED);
    if (ended === "ok") {
      this.#sample(timeline);
      return;
    }
    // Else the percentiles would be those of requests that did nothing.
    if (ended !== "refused_input" && hasEvents(timeline)) this.#sample(timeline);
    this.#count(ended === "aborted" ? ABORTED : TRACED_FAULTS);
    if (ended === "refused_input") {
      this.#count(REFUSED_INPUT);
      this.#refuse(timeline);
      return;
    }
    this.#keepLast();
    this.#last = { run, ended };
  }

  /** Called when the response is sent: its status tells a refusal from an error. */
  runAnswered(run: TracedRun, { status, isEarly }: Pick<RunAnswer, "status" | "isEarly">): void {
    const ended = this.#taken(run);
    if (ended !== "fault") {
      if (status >= 500) this.#count(ended === undefined ? UNSENT : GAVE_UP);
    } else if (status > 0 && status < 500 && isEarly !== true) {
      if (status < 400) this.#count(PASSED);
      else this.#refuse(notesOf(run));
    }
  }

  #sample(timeline: Timeline): void {
    this.latencies.record(durationOf(timeline));
    if (timeline instanceof RecordedTimeline) this.#count(WAITED_US, timeline.waited_us);
  }

  #refuse(timeline: Timeline): void {
    this.#count(REFUSED);
    tellDurations(timeline, this.#finder, this.#refusals);
  }

  /** Keeps the latest run only until the tick: a run references its request, and some are never answered. */
  #keepLast(): void {
    if (this.#last === undefined) return;
    this.#unanswered.set(this.#last.run, this.#last.ended);
    this.#hasUnanswered = true;
    this.#last = undefined;
  }

  #taken(run: TracedRun): RunOutcome | undefined {
    const last = this.#last;
    if (last?.run === run) {
      this.#last = undefined;
      return last.ended;
    }
    // Nearly always there is none.
    const ended = this.#hasUnanswered ? this.#unanswered.get(run) : undefined;
    if (ended !== undefined) this.#unanswered.delete(run);
    return ended;
  }

  tick(tick: number): void {
    this.#keepLast();
    const counts = this.#counts.fill(0);
    for (const source of this.#sources) addCounts(source, counts);
    for (const { counter, tracedFaults, refused } of this.#nodes.values()) {
      counts[counter + 2] = tracedFaults;
      counts[counter + 3] = refused;
    }
    counts[FAULTS] = this.#faultsNow(counts[RUNS] as number, counts[FAULTS] as number);
    for (let at = TRACED; at < FIRST_NODE; at += 1) counts[at] = this.#traced[at] as number;
    this.history.note(tick, counts);
  }

  /**
   * Faults of runs. They are exact if all runs that began in the second were traced. Otherwise each
   * fault of an outermost node is counted, and each run that failed without one. That is wrong if a
   * layer handles the fault.
   */
  #faultsNow(runs: number, nodeFaults: number): number {
    const begun = (this.#traced[TRACED] as number) + this.inFlight;
    const allTraced = begun - this.#begun >= runs - this.history.value(RUNS);
    const traced = (this.#traced[TRACED_FAULTS] as number) - this.history.value(TRACED_FAULTS);
    this.#begun = begun;
    this.#faults += allTraced ? traced : nodeFaults - this.#nodeFaults;
    this.#nodeFaults = nodeFaults;
    return this.#faults;
  }

  #count(counter: number, by = 1): void {
    this.#traced[counter] = (this.#traced[counter] as number) + by;
  }

  #nodeOf(id: string, label: string): NodeSeries {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const counter = FIRST_NODE + this.#nodes.size * NODE_COUNTERS;
    const node = new NodeSeries(this.name, id, label, counter, this.#measured);
    this.#nodes.set(id, node);
    this.#byNumber.set(node.number, node);
    return node;
  }
}

function addCounts({ circuit, nodes, deciding }: Source, to: Float64Array): void {
  const { runs, entered, faulted } = circuit.counts;
  const add = (counter: number, count: number): void => {
    to[counter] = (to[counter] as number) + count;
  };
  for (let at = 0; at < nodes.length; at += 1) {
    const { counter } = nodes[at] as NodeSeries;
    add(counter, entered[at] as number);
    add(counter + 1, faulted[at] as number);
  }
  add(RUNS, runs.begun);
  add(UNENTERED, runs.refused);
  add(FAULTS, runs.refused + runs.failed);
  for (const at of deciding) add(FAULTS, faulted[at] as number);
}

/**
 * Indices of the nodes whose fault ends a run: the outermost layer, or else the nodes outside
 * any other node.
 */
function deciding(nodes: readonly NodeSeries[]): readonly number[] {
  if (nodes[0]?.kind === "Layer") return [0];
  const ids = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap(({ id }, at) => (isInside(id, ids) ? [] : [at]));
}

/** An id is a path: the id of a node inside begins with that of its parent. */
function isInside(id: string, ids: ReadonlySet<string>): boolean {
  for (let at = id.lastIndexOf("/"); at > 0; at = id.lastIndexOf("/", at - 1))
    if (ids.has(id.slice(0, at))) return true;
  return false;
}

const hasEvents = (timeline: Timeline): boolean =>
  timeline instanceof RecordedTimeline ? timeline.size > 0 : timeline.events.length > 0;

/** Up to its last event; by the wall clock if events were dropped. */
function durationOf(timeline: Timeline): number {
  if (timeline.dropped > 0) return (Date.now() - timeline.started_at) * 1000;
  return timeline instanceof RecordedTimeline ? timeline.last_us : (timeline.events.at(-1)?.at_us ?? 0);
}

/** Index of an unknown node. */
const UNKNOWN_NODE = -1;
const UNKNOWN_FIGURES = { tracedFaults: 0, refused: 0 };

/** Reports the durations of a timeline's nodes without allocating events. */
function tellDurations(timeline: Timeline, finder: NodeFinder<number>, to: Durations<number>): void {
  if (timeline instanceof RecordedTimeline) {
    timeline.tellDurations(finder, to);
    return;
  }
  for (const event of timeline.events) {
    if (event.kind !== "node_exit") continue;
    const found = finder.of(event.node);
    to.took(found, event.duration_us);
    if (event.outcome === "fault") to.faulted(found);
  }
}
