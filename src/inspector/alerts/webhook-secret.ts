import { createHmac } from "node:crypto";

import { invalidOption } from "#core/invalid-option.js";
import { Secret } from "#core/secret.js";

/** Those of Standard Webhooks. */
const MIN_BYTES = 24;

/** The key that webhooks are signed with. */
export class WebhookSecret {
  readonly #key: Secret<Buffer>;

  /**
   * A text that begins with `whsec_` is base64 behind it, as Standard Webhooks writes it; of any
   * other its own bytes count. Throws CONFIG_INVALID for less than 24 bytes.
   */
  constructor(call: string, given: string | Secret<string>) {
    const text: unknown = given instanceof Secret ? given.reveal() : given;
    const key =
      typeof text !== "string"
        ? Buffer.alloc(0)
        : text.startsWith("whsec_")
          ? Buffer.from(text.slice("whsec_".length), "base64")
          : Buffer.from(text);
    if (key.length < MIN_BYTES) {
      const remedy = `its secret has ${key.length} bytes: use ${MIN_BYTES} or more, made at random`;
      throw invalidOption(call, remedy);
    }
    this.#key = new Secret(key);
  }

  /** The header `webhook-signature` of Standard Webhooks: HMAC-SHA256 over id, time in seconds and body. */
  sign(id: string, timestamp: number, body: string): string {
    const digest = createHmac("sha256", this.#key.reveal()).update(`${id}.${timestamp}.${body}`);
    return `v1,${digest.digest("base64")}`;
  }
}
