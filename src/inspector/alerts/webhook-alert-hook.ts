// Sends alerts to one URL, which the program gives and nobody from outside can change.
//
//   WA1. What is sent is signed, with its time, so that nobody can make one up or send an
//        old one again for long.
//   WA2. It goes to that URL and no other: a redirect is a refusal.
//   WA3. Time holds to the answer's head; of its body nothing is read. No message quotes it,
//        nor the URL's query.

import { type Clock, MAX_TIMER_MS, systemClock } from "#core/clock.js";
import type { Secret } from "#core/secret.js";
import { namesOf, requireKnown } from "#http/known-options.js";
import { requireInteger } from "#http/required-integer.js";
import { endpointUrl, placeOf } from "#identity/endpoint-url.js";
import type { Alert } from "../api/watching.js";
import { type AlertDelivery, type AlertHook, AlertRefused } from "./alert-hook.js";
import { WebhookSecret } from "./webhook-secret.js";

export interface WebhookAlertHookOptions {
  /** Signs each request. At least 24 bytes; `whsec_` and base64, or the text itself. */
  readonly secret: string | Secret<string>;
  /** Milliseconds until an answer begins. Default 10 000. */
  readonly timeoutMs?: number;
  /** Sent with each request, beside what this hook sends itself. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

const OPTIONS = namesOf<WebhookAlertHookOptions>({
  secret: true,
  timeoutMs: true,
  headers: true,
  clock: true,
  wallClock: true,
});

/** Answers that another try may change. */
const isPassing = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429;

/**
 * A POST of `{ type: "alert.active" | "alert.resolved", timestamp, data: Alert }` as
 * Standard Webhooks says: headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
 * A status from 200 to 299 is a delivery.
 */
export class WebhookAlertHook implements AlertHook {
  readonly name: string;
  readonly #url: URL;
  readonly #secret: WebhookSecret;
  readonly #timeoutMs: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #wallClock: () => number;

  /** Throws CONFIG_INVALID: https only, but for this machine itself. */
  constructor(url: string | URL, options: WebhookAlertHookOptions) {
    const call = "WebhookAlertHook";
    requireKnown(call, options, OPTIONS);
    this.#url = endpointUrl(call, url);
    this.name = `webhook ${placeOf(this.#url)}`;
    this.#secret = new WebhookSecret(call, options.secret);
    this.#timeoutMs = requireInteger("timeoutMs", options.timeoutMs ?? 10_000, 1, MAX_TIMER_MS);
    // Here, where a malformed one is the program's mistake.
    this.#headers = Object.fromEntries(new Headers(options.headers));
    this.#clock = options.clock ?? systemClock;
    this.#wallClock = options.wallClock ?? Date.now;
  }

  async deliver(alert: Alert, { id, signal }: AlertDelivery): Promise<void> {
    const timestamp = Math.floor(this.#wallClock() / 1000);
    const body = JSON.stringify({
      type: `alert.${alert.state}`,
      timestamp: new Date(alert.last_at).toISOString(),
      data: alert,
    });
    const headers = {
      ...this.#headers,
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": this.#secret.sign(id, timestamp, body),
    };
    const status = await this.#ask({ method: "POST", body, headers, redirect: "manual" }, signal);
    if (status >= 200 && status < 300) return;
    const message = `It answered ${status}`;
    throw isPassing(status) ? new Error(message) : new AlertRefused(message);
  }

  async #ask(request: RequestInit, stopping: AbortSignal): Promise<number> {
    const limit = new AbortController();
    const stop = (): void => limit.abort(stopping.reason);
    const cancel = this.#clock.after(this.#timeoutMs, () =>
      limit.abort(new Error(`It did not answer in ${this.#timeoutMs} ms`)),
    );
    if (stopping.aborted) stop();
    else stopping.addEventListener("abort", stop, { once: true });
    try {
      const response = await fetch(this.#url, { ...request, signal: limit.signal });
      await response.body?.cancel();
      return response.status;
    } finally {
      cancel();
      stopping.removeEventListener("abort", stop);
    }
  }
}
