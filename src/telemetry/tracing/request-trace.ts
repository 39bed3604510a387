// The trace of one sampled request: the server span and the spans below it.

import type { TraceContext } from "#core/facts/ingress-facts.js";
import {
  endAttributes,
  headAttributes,
  type RequestEnd,
  type RequestHead,
  spanName,
} from "./request-attributes.js";
import type { RunNodes } from "./run-nodes.js";
import { RunTrace } from "./run-trace.js";
import type { Tracing } from "./tracing.js";

/** The caller's span and trace, from `traceparent`. */
export type Caller = Pick<TraceContext, "traceId" | "random" | "traceState"> & { readonly spanId: string };

export class RequestTrace {
  readonly #method: string;
  readonly #trace: RunTrace;

  /** Without a caller a new trace begins, with the given id. */
  constructor(tracing: Tracing, head: RequestHead, traceId: string, caller: Caller | undefined) {
    this.#method = head.method;
    const start = {
      name: spanName(head.method, undefined),
      kind: "SERVER",
      attributes: headAttributes(head),
    } as const;
    const { random = true, spanId: parentSpanId, traceState = "" } = caller ?? {};
    this.#trace = new RunTrace(tracing, { traceId, parentSpanId, traceState, random }, (startedAt) =>
      tracing.root({ ...start, startedAt }, traceId, caller),
    );
  }

  get context(): TraceContext {
    return this.#trace.context;
  }

  /** Receives the nodes of the request's run. */
  get nodes(): RunNodes {
    return this.#trace.nodes;
  }

  /** Runs with the server span active, so that the program's spans are its children. */
  run<T>(run: () => T): T {
    return this.#trace.run(run);
  }

  /** Called when the response is sent, or the client has disconnected. */
  end(end: RequestEnd): void {
    if (this.#trace.isOver) return;
    const isError = end.status >= 500;
    this.#trace.span.updateName(spanName(this.#method, end.route));
    const fault = isError ? (end.code ?? this.#trace.failedWith) : undefined;
    this.#trace.end({ attributes: endAttributes(end, fault), isError });
  }
}
