import type { Span } from "@opentelemetry/api";

import type { Tracing } from "./tracing.js";

/** The CLIENT span of one outgoing call. */
export class CallSpan {
  readonly spanId: string;
  readonly #span: Span;
  readonly #tracing: Tracing;
  readonly #nowMs: () => number;

  constructor(span: Span, tracing: Tracing, nowMs: () => number) {
    this.spanId = span.spanContext().spanId;
    this.#span = span;
    this.#tracing = tracing;
    this.#nowMs = nowMs;
  }

  /** Called with the response's status. A status of 400 or above fails the span. */
  answered(status: number): void {
    this.#span.setAttribute("http.response.status_code", status);
    if (status >= 400) this.#fail(String(status));
    this.#span.end(this.#nowMs());
  }

  /** Called if there is no response; `code` is the reason. */
  failed(code: string): void {
    this.#fail(code);
    this.#span.end(this.#nowMs());
  }

  #fail(type: string): void {
    this.#span.setAttribute("error.type", type);
    this.#tracing.fail(this.#span);
  }
}

/** The target of a call, without the query. */
export const callAttributes = (method: string, url: URL): Readonly<Record<string, string | number>> => ({
  "http.request.method": method,
  "server.address": url.hostname.replace(/^\[|\]$/g, ""),
  "server.port": url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
  "url.full": `${url.origin}${url.pathname}`,
});
