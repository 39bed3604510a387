// What is known of the circuits of one name: an Axon that several routes run is one.

import { isFault } from "#core/bus/outcome.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
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

export const RUN_OUTCOMES = ["ok", "fault", "aborted"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Where the counters of the circuit stand; those of its nodes come behind. */
export const RUNS = 0;
export const FAULTS = 1;
/** Of traced runs: those that ended, those of them that faulted, and of these the refused ones. */
export const TRACED = 2;
export const TRACED_FAULTS = 3;
export const REFUSED = 4;
/** Traced runs that were aborted and answered with 5xx, as when the request's time was up. */
export const GAVE_UP = 5;
const FIRST_NODE = 6;

/** A watched circuit, and where its nodes are among those of its name. */
interface Source {
  readonly circuit: WatchedCircuit;
  readonly nodes: readonly NodeSeries[];
  readonly deciding: readonly number[];
}

export class CircuitSeries {
  readonly name: string;
  /** Of what was mounted last. */
  version = "";
  readonly latencies: LatencySeries;
  /** Up to the last tick. */
  readonly history = new CountHistory();
  /** Traced runs that have begun and not ended. */
  inFlight = 0;
  /** How traced runs ended. */
  readonly ended: Record<RunOutcome, number> = { ok: 0, fault: 0, aborted: 0 };
  readonly #measured: Measured;
  readonly #nodes = new Map<string, NodeSeries>();
  /** By the numbers under which their durations are measured. */
  readonly #byNumber = new Map<number, NodeSeries>();
  readonly #finder: NodeFinder<number> = { of: (id) => this.#nodes.get(id)?.number ?? NOBODY };
  readonly #durations: Durations<number>;
  readonly #refusals: Durations<number>;
  readonly #sources: Source[] = [];
  #counts = new Float64Array(FIRST_NODE);
  /** Of all traced runs, in the places of RUNS and FAULTS 0. */
  readonly #traced = new Float64Array(FIRST_NODE);
  /** What ended in a fault or aborted, and is not answered yet. */
  readonly #unanswered = new WeakMap<TracedRun, RunOutcome>();
  #hasUnanswered = false;
  /** The last of them, until the next tick: nearly always it is what is answered next. */
  #last: { readonly run: TracedRun; readonly ended: RunOutcome } | undefined;
  /** Up to the last tick. */
  #faults = 0;
  #nodeFaults = 0;

  constructor(name: string, measured: Measured) {
    this.name = name;
    this.#measured = measured;
    this.latencies = new LatencySeries(measured);
    const of = (number: number): Pick<NodeSeries, "tracedFaults" | "refused"> =>
      this.#byNumber.get(number) ?? nobody;
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

  /** Tells what kind each node is of. */
  describe(schematic: Schematic): void {
    for (const { id, kind, schematic: inner } of schematic.nodes) {
      const node = this.#nodes.get(id);
      if (node !== undefined) node.kind = kind;
      if (inner !== undefined) this.describe(inner);
    }
  }

  /** A traced run begins. */
  runBegan(): void {
    this.inFlight += 1;
  }

  /** A traced run is over. */
  runEnded(run: TracedRun, outcome: unknown): void {
    const timeline = notesOf(run);
    this.inFlight -= 1;
    tellDurations(timeline, this.#finder, this.#durations);
    this.latencies.record(durationOf(timeline));
    const ended = outcomeOf(outcome);
    this.ended[ended] += 1;
    this.#count(TRACED);
    if (ended === "ok") return;
    if (ended === "fault") this.#count(TRACED_FAULTS);
    this.#keepLast();
    this.#last = { run, ended };
  }

  /** Its request is answered: tells whose doing it was that it did not go through. */
  runAnswered(run: TracedRun, { status }: Pick<RunAnswer, "status">): void {
    const ended = this.#taken(run);
    if (ended === undefined) return;
    if (ended === "aborted") {
      if (status >= 500) this.#count(GAVE_UP);
    } else if (status > 0 && status < 500) {
      this.#count(REFUSED);
      tellDurations(notesOf(run), this.#finder, this.#refusals);
    }
  }

  /** Not as the last one for long: a run holds its request, and some are never answered. */
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
    // None of them, nearly always.
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
   * Faults of runs. In a second whose runs were all traced those are known; in others each
   * fault of a node that stands in no other is taken for one, which it is unless a layer
   * answers it or it has no node, as that of an input.
   */
  #faultsNow(runs: number, nodeFaults: number): number {
    const traced = (counter: number): number =>
      (this.#traced[counter] as number) - this.history.value(counter);
    const allTraced = traced(TRACED) >= runs - this.history.value(RUNS);
    this.#faults += allTraced ? traced(TRACED_FAULTS) : nodeFaults - this.#nodeFaults;
    this.#nodeFaults = nodeFaults;
    return this.#faults;
  }

  #count(counter: number): void {
    this.#traced[counter] = (this.#traced[counter] as number) + 1;
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
  const { entered, faulted } = circuit.counts;
  const add = (counter: number, count: number): void => {
    to[counter] = (to[counter] as number) + count;
  };
  for (let at = 0; at < nodes.length; at += 1) {
    const { counter } = nodes[at] as NodeSeries;
    add(counter, entered[at] as number);
    add(counter + 1, faulted[at] as number);
  }
  add(RUNS, entered[0] ?? 0);
  for (const at of deciding) add(FAULTS, faulted[at] as number);
}

/** Whose faults end a run, by their places: of the outermost layer, else of what stands in no other node. */
function deciding(nodes: readonly NodeSeries[]): readonly number[] {
  if (nodes[0]?.kind === "Layer") return [0];
  const ids = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap(({ id }, at) => (isInside(id, ids) ? [] : [at]));
}

/** Ids are paths: what is in a node begins with that one's. */
function isInside(id: string, ids: ReadonlySet<string>): boolean {
  for (let at = id.lastIndexOf("/"); at > 0; at = id.lastIndexOf("/", at - 1))
    if (ids.has(id.slice(0, at))) return true;
  return false;
}

/** A run that was aborted has not failed by itself: its client went away, or the request's time was up. */
function outcomeOf(outcome: unknown): RunOutcome {
  if (!isFault(outcome)) return "ok";
  const { error } = outcome;
  return isRuntimeFault(error) && error.code === "RUN_ABORTED" ? "aborted" : "fault";
}

/** Up to its last event; by the wall clock, where not all events were kept. */
function durationOf(timeline: Timeline): number {
  if (timeline.dropped > 0) return (Date.now() - timeline.started_at) * 1000;
  return timeline instanceof RecordedTimeline ? timeline.last_us : (timeline.events.at(-1)?.at_us ?? 0);
}

/** For a node that nobody knows. */
const NOBODY = -1;
const nobody = { tracedFaults: 0, refused: 0 };

/** One that was recorded here makes no events for it. */
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
