// What one request leaves of a trace that is kept: the server's span, and what stands below it.

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

/** What the caller says of the trace: its own part, which is kept. */
export type Caller = Pick<TraceContext, "traceId" | "random" | "traceState"> & { readonly spanId: string };

export class RequestTrace {
  readonly #method: string;
  readonly #trace: RunTrace;

  /** A trace that begins here has the id given, and no caller. */
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

  /** To be told of the run that answers the request. */
  get nodes(): RunNodes {
    return this.#trace.nodes;
  }

  /** Runs with the server's span active, for the program's own spans. */
  run<T>(run: () => T): T {
    return this.#trace.run(run);
  }

  /** The request is answered, or its client has gone. */
  end(end: RequestEnd): void {
    if (this.#trace.isOver) return;
    const isError = end.status >= 500;
    this.#trace.span.updateName(spanName(this.#method, end.route));
    const fault = isError ? this.#trace.failedWith : undefined;
    this.#trace.end({ attributes: endAttributes(end, fault), isError });
  }
}
