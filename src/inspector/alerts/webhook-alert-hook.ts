import { createHmac } from "node:crypto";

import { type Clock, MAX_TIMER_MS, systemClock } from "#core/clock.js";
import { invalidOption } from "#core/invalid-option.js";
import { Secret } from "#core/secrets/secret.js";
import { namesOf, requireInteger, requireKnown } from "#http/refusal/option-checks.js";
import { endpointUrl, placeOf } from "#identity/endpoint-url.js";
import type { Alert } from "../api/watching.js";
import { type AlertDelivery, type AlertHook, AlertRefused } from "./alert-hook.js";

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

const CALL = "WebhookAlertHook";
/** The least that Standard Webhooks allows. */
const MIN_SECRET_BYTES = 24;

/** Responses after which another try may succeed. */
const isPassing = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429;

/**
 * A POST of `{ type: "alert.active" | "alert.resolved", timestamp, data: Alert }` as
 * Standard Webhooks says: headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
 * A status from 200 to 299 is a delivery. Redirects are not followed, the body of the response
 * is not read, and no message holds the URL's query.
 */
export class WebhookAlertHook implements AlertHook {
  readonly name: string;
  readonly #url: URL;
  readonly #key: Secret<Buffer>;
  readonly #timeoutMs: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #wallClock: () => number;

  /** Throws CONFIG_INVALID: https only, except to this machine itself. */
  constructor(url: string | URL, options: WebhookAlertHookOptions) {
    requireKnown(CALL, options, OPTIONS);
    this.#url = endpointUrl(CALL, url);
    this.name = `webhook ${placeOf(this.#url)}`;
    this.#key = new Secret(signingKey(options.secret));
    this.#timeoutMs = requireInteger("timeoutMs", options.timeoutMs ?? 10_000, 1, MAX_TIMER_MS);
    // Through Headers: a malformed one is refused here, where it is the program's mistake.
    this.#headers = Object.fromEntries(new Headers(options.headers));
    this.#clock = options.clock ?? systemClock;
    this.#wallClock = options.wallClock ?? Date.now;
  }

  async deliver(alert: Alert, { id, signal }: AlertDelivery): Promise<void> {
    // Signed too, so that a request that was recorded cannot be sent again for long.
    const timestamp = Math.floor(this.#wallClock() / 1000);
    const body = JSON.stringify({
      type: `alert.${alert.state}`,
      timestamp: new Date(alert.last_at).toISOString(),
      data: alert,
    });
    const digest = createHmac("sha256", this.#key.reveal()).update(`${id}.${timestamp}.${body}`);
    const headers = {
      ...this.#headers,
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": `v1,${digest.digest("base64")}`,
    };
    const status = await this.#send({ method: "POST", body, headers, redirect: "manual" }, signal);
    if (status >= 200 && status < 300) return;
    const message = `It answered ${status}`;
    throw isPassing(status) ? new Error(message) : new AlertRefused(message);
  }

  async #send(request: RequestInit, stopping: AbortSignal): Promise<number> {
    const limit = new AbortController();
    const cancel = this.#clock.after(this.#timeoutMs, () =>
      limit.abort(new Error(`It did not answer in ${this.#timeoutMs} ms`)),
    );
    try {
      const signal = AbortSignal.any([stopping, limit.signal]);
      const response = await fetch(this.#url, { ...request, signal });
      await response.body?.cancel();
      return response.status;
    } finally {
      cancel();
    }
  }
}

/** Base64 behind `whsec_`, as Standard Webhooks writes it; else the bytes of the text. */
function signingKey(given: string | Secret<string>): Buffer {
  const text: unknown = given instanceof Secret ? given.reveal() : given;
  const key =
    typeof text !== "string"
      ? Buffer.alloc(0)
      : text.startsWith("whsec_")
        ? Buffer.from(text.slice("whsec_".length), "base64")
        : Buffer.from(text);
  if (key.length >= MIN_SECRET_BYTES) return key;
  const remedy = `its secret has ${key.length} bytes: use ${MIN_SECRET_BYTES} or more, made at random`;
  throw invalidOption(CALL, remedy);
}
