// The trace of one WebSocket message's run. It is a trace of its own: the handshake has ended, and
// a connection lives for days. Names follow OpenTelemetry's messaging conventions, which have no
// value for this system.

import type { TraceContext } from "#core/facts/ingress-facts.js";
import type { RunNodes } from "./run-nodes.js";
import { RunTrace } from "./run-trace.js";
import type { TraceLink, Tracing } from "./tracing.js";

export interface TracedMessage {
  /** Pattern of the route. */
  readonly route: string;
  readonly bytes: number;
  /** Span of the handshake, if sampled. */
  readonly handshake: TraceLink | undefined;
}

export class MessageTrace {
  readonly #trace: RunTrace;

  constructor(tracing: Tracing, traceId: string, { route, bytes, handshake }: TracedMessage) {
    const start = {
      name: `process ${route}`,
      kind: "CONSUMER",
      attributes: {
        "messaging.system": "websocket",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.template": route,
        "messaging.message.body.size": bytes,
        "network.protocol.name": "websocket",
      },
      link: handshake,
    } as const;
    const place = { traceId, parentSpanId: undefined, traceState: "", random: true };
    this.#trace = new RunTrace(tracing, place, (startedAt) =>
      tracing.root({ ...start, startedAt }, traceId, undefined),
    );
  }

  get context(): TraceContext {
    return this.#trace.context;
  }

  /** Receives the run's nodes. */
  get nodes(): RunNodes {
    return this.#trace.nodes;
  }

  run<T>(run: () => T): T {
    return this.#trace.run(run);
  }

  /** `status` is the equivalent HTTP status; 0 if the client has disconnected. */
  end(status: number): void {
    const isError = status >= 500;
    const type =
      status === 0 ? "RUN_ABORTED" : isError ? (this.#trace.failedWith ?? String(status)) : undefined;
    this.#trace.end({ attributes: type === undefined ? {} : { "error.type": type }, isError });
  }
}
