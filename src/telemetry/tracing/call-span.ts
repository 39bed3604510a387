import type { Span } from "@opentelemetry/api";

import type { Tracing } from "./tracing.js";

/** One call of a service: a span of the kind CLIENT. */
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

  /** The head of an answer is there. A refusal is a failure to who asked. */
  answered(status: number): void {
    this.#span.setAttribute("http.response.status_code", status);
    if (status >= 400) this.#fail(String(status));
    this.#span.end(this.#nowMs());
  }

  /** There is no answer; `code` says why. */
  failed(code: string): void {
    this.#fail(code);
    this.#span.end(this.#nowMs());
  }

  #fail(type: string): void {
    this.#span.setAttribute("error.type", type);
    this.#tracing.fail(this.#span);
  }
}

/** Of a call: where it goes, without what it asks there. */
export const callAttributes = (method: string, url: URL): Readonly<Record<string, string | number>> => ({
  "http.request.method": method,
  "server.address": url.hostname.replace(/^\[|\]$/g, ""),
  "server.port": url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
  "url.full": `${url.origin}${url.pathname}`,
});
