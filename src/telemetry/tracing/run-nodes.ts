// Collects the spans of a run's nodes, and exports them when the response is sent.

import type { TraceContext } from "#core/facts/ingress-facts.js";
import type { NodeSpan, Recorder, TracedRun, WatchedCircuit } from "#core/timeline/recorder.js";
import type { NodeOutcome } from "#core/timeline/timeline.js";
import { isWatched, RunPlaces } from "./inner-places.js";
import { Line, OwnSpan } from "./own-span.js";

/** Beyond it, spans are only counted. */
const MAX_SPANS = 128;

/** The span that contains a run. */
export interface Whole {
  /** The context of that span. */
  readonly context: TraceContext;
  /** The context of a span inside it. */
  placeAt(spanId: string): TraceContext;
  /** Runs `call` with that inner span active, or with this one if no id is given. */
  run<T>(call: () => T, spanId?: string): T;
  newSpanId(): string;
}

export class RunNodes implements Recorder {
  readonly all: OwnSpan[] = [];
  dropped = 0;
  /** Nodes that ended in a fault, in the order in which they ended. */
  readonly #faulted: OwnSpan[] = [];
  readonly #whole: Whole;
  readonly #line = new Line(undefined);
  /** Undefined without an Inspector. */
  #places: RunPlaces | undefined;
  /** Begin of the run, on the scale of `performance.now()`. */
  #began = Number.POSITIVE_INFINITY;

  constructor(whole: Whole) {
    this.#whole = whole;
  }

  /** Converts to the scale of `performance.now()`. */
  timeOf(us: number): number {
    return this.#began + us / 1000;
  }

  /** The reverse of {@link timeOf}. */
  usOf(time: number): number {
    return (time - this.#began) * 1000;
  }

  readonly span = (run: TracedRun, id: string, within: NodeSpan | undefined, at_us: number): NodeSpan => {
    this.align(at_us);
    if (isWatched()) this.#places ??= new RunPlaces(run);
    const line = within === undefined ? this.#line : (within as NodeVisit | Unseen).inner;
    const { name: circuit } = run.circuit;
    const own = this.add({ kind: "node", name: labelOf(run.circuit, id), id, circuit }, line, at_us);
    return own === undefined ? new Unseen(this.#whole, line) : new NodeVisit(this, this.#whole, own);
  };

  /** The id of the span of a node: spans of the program below it are the node's. */
  newSpanId(node: string): string {
    const spanId = this.#whole.newSpanId();
    this.#places?.put(spanId, node);
    return spanId;
  }

  /** Undefined beyond MAX_SPANS. */
  add(about: OwnSpan["about"], line: Line, at_us: number): OwnSpan | undefined {
    if (this.all.length === MAX_SPANS) {
      this.dropped += 1;
      return undefined;
    }
    const own = new OwnSpan(about, line, at_us);
    this.all.push(own);
    return own;
  }

  /** Moves the direct children of one span to another. */
  handOver(from: OwnSpan, to: OwnSpan): void {
    for (const own of this.all) if (own !== to && own.parent === from) own.parent = to;
  }

  /**
   * Called at each event with its time. Calls are slightly late, so the earliest computed begin is
   * the most exact.
   */
  align(at_us: number): void {
    this.#began = Math.min(this.#began, performance.now() - at_us / 1000);
  }

  fail(own: OwnSpan): void {
    this.#faulted.push(own);
  }

  /** Ends the open spans: their results are no longer awaited. */
  close(): void {
    this.#places?.close();
    const at_us = (performance.now() - this.#began) * 1000;
    for (const own of this.all) own.end(undefined, undefined, at_us);
  }

  /** The outermost node whose fault is the run's outcome; undefined without a fault. */
  get failed(): OwnSpan | undefined {
    const nodes = this.#faulted.filter(({ about }) => about.kind === "node");
    return nodes.findLast(({ code }) => code !== undefined) ?? nodes.at(-1);
  }

  /** That node, and the nodes inside it that the fault came from. */
  get failing(): ReadonlySet<OwnSpan> {
    const { failed } = this;
    const found = new Set<OwnSpan>();
    if (failed === undefined) return found;
    found.add(failed);
    let innermost = failed;
    for (const own of this.#faulted.slice(0, this.#faulted.lastIndexOf(failed)).reverse()) {
      if (own.code !== failed.code || !own.isWithin(innermost)) continue;
      found.add(own);
      innermost = own;
    }
    return found;
  }
}

/** A visit of a node, or one of its tries. */
class NodeVisit implements NodeSpan {
  readonly #nodes: RunNodes;
  readonly #whole: Whole;
  readonly #node: OwnSpan;
  /** The span of a try; undefined for the node itself. */
  readonly #try: OwnSpan | undefined;
  #place: TraceContext | undefined;

  constructor(nodes: RunNodes, whole: Whole, node: OwnSpan, attempt?: OwnSpan) {
    this.#nodes = nodes;
    this.#whole = whole;
    this.#node = node;
    this.#try = attempt;
  }

  /** The line of the nodes inside. */
  get inner(): Line {
    return this.#own.inner;
  }

  placeIn(): TraceContext {
    this.#place ??= this.#whole.placeAt(this.#spanId());
    return this.#place;
  }

  run<T>(call: () => T): T {
    return this.#whole.run(call, this.#spanId());
  }

  failed(attempt: number, delayMs: number, error: unknown, at_us: number): void {
    const node = this.#node;
    node.retries.push({ at_us, attempt, delayMs });
    node.tries ??= this.#firstTry();
    if (node.tries?.end("fault", error, at_us) === true) this.#nodes.fail(node.tries);
  }

  tried(attempt: number, at_us: number): NodeSpan {
    const node = this.#node;
    const about = { ...node.about, kind: "try", name: `attempt ${attempt}`, attempt } as const;
    const own = this.#nodes.add(about, node.inner, at_us);
    if (own === undefined) return new Unseen(this.#whole, node.inner);
    node.tries = own;
    return new NodeVisit(this.#nodes, this.#whole, node, own);
  }

  branched(branch: string, path: string, at_us: number): void {
    const { line, about } = this.#node;
    const own = this.#nodes.add({ ...about, kind: "branch", name: `branch ${branch}`, branch }, line, at_us);
    if (own !== undefined) line.take(own, path);
  }

  worked(name: string, began: number, ended: number, code: string | undefined): void {
    const { about, inner } = this.#own;
    const nodes = this.#nodes;
    const job = { ...about, kind: "job", name: `worker ${name}` } as const;
    const own = nodes.add(job, inner, nodes.usOf(began));
    own?.end(code === undefined ? undefined : "fault", code, nodes.usOf(ended));
  }

  left(outcome: NodeOutcome, answer: unknown, at_us: number): void {
    this.#nodes.align(at_us);
    for (const own of [this.#node.tries, this.#node])
      if (own?.leave(outcome, answer, at_us) === true && outcome === "fault") this.#nodes.fail(own);
  }

  /** Turns the visit so far into the first try, which takes over its id and its children. */
  #firstTry(): OwnSpan | undefined {
    const node = this.#node;
    const about = { ...node.about, kind: "try", name: "attempt 1", attempt: 1 } as const;
    const first = this.#nodes.add(about, node.inner, node.startedUs);
    if (first === undefined) return undefined;
    first.spanId = node.spanId;
    node.spanId = undefined;
    this.#nodes.handOver(node, first);
    return first;
  }

  get #own(): OwnSpan {
    return this.#try ?? this.#node.tries ?? this.#node;
  }

  // Set once: the id stays with the first try.
  #spanId(): string {
    if (this.#place !== undefined) return this.#place.spanId;
    const own = this.#try ?? this.#node;
    own.spanId ??= this.#nodes.newSpanId(own.about.id);
    return own.spanId;
  }
}

/** A node without a span: the nodes inside become children of the enclosing span. */
class Unseen implements NodeSpan {
  readonly inner: Line;
  readonly #whole: Whole;

  constructor(whole: Whole, line: Line) {
    this.#whole = whole;
    this.inner = line;
  }

  placeIn(): TraceContext {
    const { owner } = this.inner;
    if (owner === undefined) return this.#whole.context;
    owner.spanId ??= this.#whole.newSpanId();
    return this.#whole.placeAt(owner.spanId);
  }

  run<T>(call: () => T): T {
    return this.#whole.run(call, this.inner.owner && this.placeIn().spanId);
  }

  failed(): void {}

  tried(): NodeSpan {
    return this;
  }

  branched(): void {}

  worked(): void {}

  left(): void {}
}

const labels = new WeakMap<WatchedCircuit, ReadonlyMap<string, string>>();

function labelOf(circuit: WatchedCircuit, id: string): string {
  let known = labels.get(circuit);
  if (known === undefined) {
    known = new Map(circuit.nodes.map((node) => [node.id, node.label]));
    labels.set(circuit, known);
  }
  return known.get(id) ?? nameIn(id);
}

/** A subgraph in an Axon's own line has no counter; its name is only in its id. */
const nameIn = (id: string): string =>
  id
    .slice(id.lastIndexOf("/") + 1)
    .replace(/#\d+$/, "")
    .replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
