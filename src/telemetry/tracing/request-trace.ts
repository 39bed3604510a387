// What one request leaves of a trace that is kept: the server's span, one for each node of
// its run, one for each service that it asks.

import type { Context, Span } from "@opentelemetry/api";

import type { TraceContext } from "#core/ingress-facts.js";
import { CallSpan, callAttributes } from "./call-span.js";
import { type CallMaker, RecordedContext } from "./recorded-context.js";
import {
  endAttributes,
  headAttributes,
  type RequestEnd,
  type RequestHead,
  spanName,
} from "./request-attributes.js";
import { type LeftNode, RunNodes } from "./run-nodes.js";
import type { Tracing } from "./tracing.js";
import { wallOffset } from "./wall-time.js";

/** What the caller says of the trace: its own part, which is kept. */
export type Caller = Pick<TraceContext, "traceId" | "random" | "traceState"> & { readonly spanId: string };

export class RequestTrace implements CallMaker {
  readonly context: TraceContext;
  /** To be told of the run that answers the request. */
  readonly nodes = new RunNodes();
  readonly #method: string;
  readonly #tracing: Tracing;
  readonly #span: Span;
  /** What its children begin in. */
  readonly #inside: Context;
  readonly #offset = wallOffset();
  #isOver = false;

  /** A trace that begins here has the id given, and no caller. */
  constructor(tracing: Tracing, head: RequestHead, traceId: string, caller: Caller | undefined) {
    this.#tracing = tracing;
    this.#method = head.method;
    const start = {
      name: spanName(head.method, undefined),
      kind: "SERVER",
      attributes: headAttributes(head),
      startedAt: this.#now(),
    } as const;
    this.#span = tracing.root(start, traceId, caller);
    this.#inside = tracing.within(this.#span);
    const { spanId } = this.#span.spanContext();
    const place = { traceId, spanId, parentSpanId: caller?.spanId, traceState: caller?.traceState ?? "" };
    this.context = new RecordedContext({ ...place, random: caller?.random ?? true }, this);
  }

  /** Runs with the server's span active, for the program's own spans. */
  run<T>(run: () => T): T {
    return this.#tracing.run(this.#inside, run);
  }

  call(method: string, url: URL): CallSpan {
    const start = { name: method, kind: "CLIENT", attributes: callAttributes(method, url) } as const;
    const span = this.#tracing.child({ ...start, startedAt: this.#now() }, this.#inside);
    return new CallSpan(span, this.#tracing, () => this.#now());
  }

  /** The request is answered, or its client has gone. */
  end(end: RequestEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { left, dropped } = this.nodes;
    const failed = end.status >= 500 ? this.nodes.failed : undefined;
    for (const node of left) this.#addNode(node, node === failed);
    const span = this.#span;
    span.updateName(spanName(this.#method, end.route));
    span.setAttributes(endAttributes(end, failed?.code));
    if (left[0] !== undefined) span.setAttribute("framework.circuit", left[0].circuit);
    if (dropped > 0) span.setAttribute("framework.nodes.dropped", dropped);
    if (end.status >= 500) this.#tracing.fail(span);
    span.end(this.#now());
  }

  #addNode(node: LeftNode, isError: boolean): void {
    const { id, label, circuit, startedAt, endedAt, outcome, code, retries } = node;
    const attributes = {
      "framework.circuit": circuit,
      "framework.node.id": id,
      "framework.node.outcome": outcome,
      ...(code !== undefined && { "framework.fault.code": code }),
      ...(isError && { "error.type": code ?? "fault" }),
    };
    const start = { name: label, kind: "INTERNAL", attributes, startedAt: this.#offset + startedAt } as const;
    const span = this.#tracing.child(start, this.#inside);
    for (const { at, attempt, delayMs } of retries)
      span.addEvent(
        "retry",
        { "framework.retry.attempt": attempt, "framework.retry.delay_ms": delayMs },
        this.#offset + at,
      );
    if (isError) this.#tracing.fail(span);
    span.end(this.#offset + endedAt);
  }

  #now(): number {
    return this.#offset + performance.now();
  }
}
