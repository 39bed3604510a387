// The client's side of permessage-deflate (RFC 7692): it does what was agreed, and finds out
// where the server does not.

import assert from "node:assert/strict";
import {
  constants,
  createDeflateRaw,
  createInflateRaw,
  type DeflateRaw,
  deflateRawSync,
  type InflateRaw,
  inflateRawSync,
} from "node:zlib";

export interface Agreed {
  /** Whether each message is compressed by itself. */
  readonly serverForgets: boolean;
  readonly clientForgets: boolean;
  readonly serverBits: number;
  readonly clientBits: number;
}

/** What stands behind every message, and is not sent (section 7.2.1). */
const TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff]);

/** What the server has agreed to; undefined where it has not. Throws where it may not say so to such an offer. */
export function agreedOf(answer: string | undefined, offer: string): Agreed | undefined {
  if (answer === undefined || answer === "") return undefined;
  const [name, ...parts] = answer.split(";").map((part) => part.trim());
  assert.equal(name, "permessage-deflate");
  const parameters = new Map(
    parts.map((part) => {
      const [key = "", value = ""] = part.split("=");
      return [key.trim(), value.trim()] as const;
    }),
  );
  assert.equal(parameters.size, parts.length, `a parameter twice in '${answer}'`);
  for (const key of parameters.keys())
    assert.match(key, /^(server|client)_(no_context_takeover|max_window_bits)$/);
  // Section 7.1.2.2: only a client that has offered it understands it.
  if (parameters.has("client_max_window_bits")) assert.match(offer, /client_max_window_bits/);
  // Section 7.1.2.1: a server that agrees keeps to it.
  const asked = /^[^,]*server_max_window_bits=(\d+)[^,]*$/.exec(offer)?.[1];
  if (asked !== undefined) assert.ok(Number(parameters.get("server_max_window_bits") || 15) <= Number(asked));
  const bits = (key: string): number => Number(parameters.get(key) || 15);
  return {
    serverForgets: parameters.has("server_no_context_takeover"),
    clientForgets: parameters.has("client_no_context_takeover"),
    serverBits: bits("server_max_window_bits"),
    clientBits: bits("client_max_window_bits"),
  };
}

/** Compresses and reads the messages of one connection. */
export class MessageCodec {
  readonly #agreed: Agreed;
  readonly #deflate: DeflateRaw;
  readonly #inflate: InflateRaw;

  constructor(agreed: Agreed) {
    this.#agreed = agreed;
    this.#deflate = createDeflateRaw({ windowBits: zlibBits(agreed.clientBits) });
    this.#inflate = createInflateRaw({ windowBits: agreed.serverBits });
  }

  /** The payload of a message that is sent. */
  async compressed(bytes: Uint8Array): Promise<Buffer> {
    const all = this.#agreed.clientForgets
      ? deflateRawSync(bytes, { windowBits: zlibBits(this.#agreed.clientBits), finishFlush: SYNC })
      : await through(this.#deflate, bytes);
    return all.subarray(0, all.length - TAIL.length);
  }

  /** What the payload of a message that came says. */
  async read(payload: Uint8Array): Promise<Buffer> {
    const all = Buffer.concat([payload, TAIL]);
    if (!this.#agreed.serverForgets) return through(this.#inflate, all);
    return inflateRawSync(all, { windowBits: this.#agreed.serverBits, finishFlush: SYNC });
  }
}

const SYNC = constants.Z_SYNC_FLUSH;

/** Its smallest window for raw deflate, which fits into what was agreed on but for 8. */
const zlibBits = (bits: number): number => Math.max(9, bits);

/** What a stream makes of a piece, which it may remember for the next one. */
function through(stream: DeflateRaw | InflateRaw, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const onData = (piece: Buffer): void => void pieces.push(piece);
    stream.on("data", onData).once("error", reject);
    stream.write(bytes);
    stream.flush(SYNC, () => {
      stream.off("data", onData).off("error", reject);
      resolve(Buffer.concat(pieces));
    });
  });
}
