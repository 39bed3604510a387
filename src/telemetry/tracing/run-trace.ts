// A span with the spans below it: the run's nodes, and calls to other services.

import type { Context, Span } from "@opentelemetry/api";

import type { TraceContext } from "#core/facts/ingress-facts.js";
import { CallSpan, callAttributes } from "./call-span.js";
import type { OwnSpan } from "./own-span.js";
import { RecordedContext } from "./recorded-context.js";
import { RunNodes, type Whole } from "./run-nodes.js";
import type { Tracing } from "./tracing.js";
import { wallOffset } from "./wall-time.js";

type Attributes = Readonly<Record<string, string | number>>;

/** The parts of a trace context that its spans share. */
export type TracePlace = Omit<TraceContext, "spanId" | "sampled">;

export interface RunEnd {
  readonly attributes: Attributes;
  readonly isError: boolean;
}

export class RunTrace implements Whole {
  readonly context: TraceContext;
  /** Receives the run's nodes. */
  readonly nodes = new RunNodes(this);
  readonly span: Span;
  readonly #tracing: Tracing;
  readonly #place: TracePlace;
  /** The context of its children. */
  readonly #inside: Context;
  readonly #offset: number;
  #isOver = false;

  /** `begin` makes the span, with its start in milliseconds since 1970. */
  constructor(tracing: Tracing, place: TracePlace, begin: (startedAt: number) => Span) {
    this.#tracing = tracing;
    this.#place = place;
    this.#offset = wallOffset();
    this.span = begin(this.#now());
    this.#inside = tracing.within(this.span);
    this.context = this.placeAt(this.span.spanContext().spanId);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  placeAt(spanId: string): TraceContext {
    return new RecordedContext(
      { ...this.#place, spanId },
      { call: (method, url) => this.#call(method, url, spanId) },
    );
  }

  newSpanId(): string {
    return this.#tracing.newSpanId();
  }

  run<T>(call: () => T, spanId?: string): T {
    if (spanId === undefined) return this.#tracing.run(this.#inside, call);
    return this.#tracing.runAt(this.span, spanId, call);
  }

  /** Code of the run's fault; undefined without one. */
  get failedWith(): string | undefined {
    return this.nodes.failed?.code;
  }

  /** Makes the spans of the nodes, and ends its own. */
  end({ attributes, isError }: RunEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { nodes, span } = this;
    nodes.close();
    const failing = isError ? nodes.failing : undefined;
    for (const own of nodes.all) this.#add(own, failing?.has(own) === true);
    span.setAttributes(attributes);
    const [first] = nodes.all;
    if (first !== undefined) span.setAttribute("framework.circuit", first.about.circuit);
    if (nodes.dropped > 0) span.setAttribute("framework.nodes.dropped", nodes.dropped);
    if (isError) this.#tracing.fail(span);
    span.end(this.#now());
  }

  #call(method: string, url: URL, spanId: string): CallSpan {
    const start = { name: method, kind: "CLIENT", attributes: callAttributes(method, url) } as const;
    const span = this.#tracing.child({ ...start, startedAt: this.#now() }, this.#at(spanId));
    return new CallSpan(span, this.#tracing, () => this.#now());
  }

  #add(own: OwnSpan, isError: boolean): void {
    const { about, parent, startedUs, endedUs = startedUs, retries } = own;
    const at = (us: number): number => this.#offset + this.nodes.timeOf(us);
    const attributes = attributesOf(own, isError);
    const start = { name: about.name, kind: "INTERNAL", attributes, startedAt: at(startedUs) } as const;
    const span = this.#tracing.child(
      start,
      parent ? this.#at(this.#idOf(parent)) : this.#inside,
      this.#idOf(own),
    );
    for (const { at_us, attempt, delayMs } of retries)
      span.addEvent(
        "retry",
        { "framework.retry.attempt": attempt, "framework.retry.delay_ms": delayMs },
        at(at_us),
      );
    if (isError) this.#tracing.fail(span);
    span.end(at(endedUs));
  }

  #idOf(own: OwnSpan): string {
    own.spanId ??= this.newSpanId();
    return own.spanId;
  }

  #at(spanId: string): Context {
    return this.#tracing.at(this.span, spanId);
  }

  #now(): number {
    return this.#offset + performance.now();
  }
}

function attributesOf({ about, outcome, code }: OwnSpan, isError: boolean): Attributes {
  const { circuit, id, attempt, branch } = about;
  return {
    "framework.circuit": circuit,
    "framework.node.id": id,
    ...(attempt !== undefined && { "framework.retry.attempt": attempt }),
    ...(branch !== undefined && { "framework.branch": branch }),
    ...(outcome !== undefined && { "framework.node.outcome": outcome }),
    ...(code !== undefined && { "framework.fault.code": code }),
    ...(isError && { "error.type": code ?? "fault" }),
  };
}
