// Responses under idempotency keys in Redis: a hash for each key. Time is the server's.
//
// The keys of a subject are in a sorted set of its own, each with the time until which it is there.
//
//   RK1. A key is in the set of its subject before it is claimed, and again before its response is
//        kept: an erasure finds each response.

import { randomUUID } from "node:crypto";

import type { Codec } from "#core/ports/codec.js";
import type { IdempotencyClaim, IdempotencyStore } from "#core/ports/idempotency-store.js";
import { answerIn, answerText } from "../sql/answer-text.js";
import { answerPlace, subjectColumn, subjectForms } from "../sql/places.js";
import { openedOnce } from "./opened-codec.js";
import { NOW, type RedisConnection, type RedisScript, type RedisValue } from "./redis-connection.js";

/** Keys stay so long after their lease: a run that ends late can still keep its response. */
const LATE_MS = 3_600_000;

/** Fields: f fingerprint, t token, u end of the lease, s subject; of a response also k, a text, i key id. */
const CLAIM: RedisScript = {
  name: "idempotencyClaim",
  keys: 1,
  lua: `${NOW}
    local h = redis.call('HMGET', KEYS[1], 'f', 'u', 'k', 'a', 'i')
    if h[3] then return {'kept', h[1], h[4], h[5]} end
    if h[1] and tonumber(h[2]) > now then return {'running', h[1]} end
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], 'f', ARGV[1], 't', ARGV[2], 's', ARGV[3], 'u', now + ARGV[4])
    redis.call('PEXPIRE', KEYS[1], ARGV[4] + ${LATE_MS})
    return {'first'}`,
};

const IS_HOLDER = `
  local h = redis.call('HMGET', KEYS[1], 't', 'k')
  if h[1] ~= ARGV[1] or h[2] then return 0 end`;

const KEEP: RedisScript = {
  name: "idempotencyKeep",
  keys: 1,
  lua: `${IS_HOLDER}
    redis.call('HSET', KEYS[1], 'k', 1)
    if #ARGV > 2 then redis.call('HSET', KEYS[1], 'a', ARGV[3], 'i', ARGV[4]) end
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return 1`,
};

const RELEASE: RedisScript = {
  name: "idempotencyRelease",
  keys: 1,
  lua: `${IS_HOLDER}
    redis.call('DEL', KEYS[1])
    return 1`,
};

/** Its score grows with each call: an erasure removes none that was added meanwhile. */
const REGISTER: RedisScript = {
  name: "idempotencyRegister",
  keys: 1,
  lua: `${NOW}
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
    local before = redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0
    redis.call('ZADD', KEYS[1], math.max(now + ARGV[2], before + 1), ARGV[1])
    local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
    redis.call('PEXPIRE', KEYS[1], math.ceil(last[2] - now))
    return 1`,
};

/** Deletes a key of the subject ARGV[1]. 2: its request has not ended; 1: deleted; 0: there is none. */
const ERASE: RedisScript = {
  name: "idempotencyErase",
  keys: 1,
  lua: `${NOW}
    local h = redis.call('HMGET', KEYS[1], 's', 'k', 'u')
    if h[1] ~= ARGV[1] then return 0 end
    if not h[2] and tonumber(h[3]) > now then return 2 end
    redis.call('DEL', KEYS[1])
    return 1`,
};

const READ: RedisScript = {
  name: "idempotencyRead",
  keys: 1,
  lua: "return redis.call('HMGET', KEYS[1], 's', 'a', 'i')",
};

/** A part of a set, from the cursor ARGV[1]. */
const LIST: RedisScript = {
  name: "idempotencyList",
  keys: 1,
  lua: "return redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', 1000)",
};

/** ARGV: key, its score. */
const FORGET: RedisScript = {
  name: "idempotencyForget",
  keys: 1,
  lua: `if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
    return redis.call('ZREM', KEYS[1], ARGV[1])`,
};

/** A key of a subject. */
interface SubjectKey {
  readonly key: string;
  readonly form: string;
  readonly score: string;
}

export class RedisIdempotency implements IdempotencyStore {
  readonly #connection: RedisConnection;
  readonly #codec: Codec;
  readonly #opened: () => Promise<void>;

  constructor(connection: RedisConnection, codec: Codec) {
    this.#opened = openedOnce(codec);
    this.#connection = connection;
    this.#codec = codec;
  }

  readonly claim: IdempotencyStore["claim"] = async (key, fingerprint, leaseMs, subject) => {
    await this.#opened();
    const form = subject === undefined ? "" : subjectColumn(this.#codec, subject);
    const lease = Math.ceil(leaseMs);
    const token = `${randomUUID()} ${form}`;
    await this.#register(key, token, lease + LATE_MS);
    const [kind, found, text, keyId] = (await this.#call(CLAIM, key, [fingerprint, token, form, lease])) as [
      IdempotencyClaim["kind"],
      string,
      (string | null)?,
      (string | null)?,
    ];
    if (kind === "first") return { kind, lease: { key, token } };
    if (kind !== "kept") return { kind: "running", fingerprint: found };
    if (typeof text !== "string") return { kind, fingerprint: found, answer: undefined };
    const decoded = await this.#codec.decode(text, keyId || null, answerPlace(key));
    return { kind, fingerprint: found, answer: answerIn(decoded) };
  };

  readonly keep: IdempotencyStore["keep"] = async ({ key, token }, answer, ttlMs) => {
    const ttl = Math.ceil(ttlMs);
    if (answer === undefined) return (await this.#call(KEEP, key, [token, ttl])) === 1;
    await this.#opened();
    const { text, keyId } = this.#codec.encode(answerText(answer), answerPlace(key));
    await this.#register(key, token, ttl + LATE_MS);
    return (await this.#call(KEEP, key, [token, ttl, text, keyId ?? ""])) === 1;
  };

  readonly release: IdempotencyStore["release"] = async ({ key, token }) =>
    (await this.#call(RELEASE, key, [token])) === 1;

  /** The subject's keys that are or were claimed; a key that is claimed meanwhile perhaps twice. */
  async *of(subject: string): AsyncGenerator<SubjectKey> {
    await this.#opened();
    for (const form of subjectForms(this.#codec, subject)) {
      let cursor = "0";
      do {
        const page = (await this.#ofSubject(LIST, form, [cursor])) as [string, readonly string[]];
        const [next, found] = page;
        for (let at = 0; at < found.length; at += 2)
          yield { key: found[at] as string, form, score: found[at + 1] as string };
        cursor = next;
      } while (cursor !== "0");
    }
  }

  /** Deletes the key with its response, unless its request has not ended. */
  async erase({ key, form, score }: SubjectKey): Promise<"erased" | "running" | "none"> {
    const state = await this.#call(ERASE, key, [form]);
    if (state === 2) return "running";
    // One that is not there may be about to be claimed.
    if (state === 0) return "none";
    await this.#ofSubject(FORGET, form, [key, score]);
    return "erased";
  }

  /** The text of its response; null if it has none, undefined if the key is not the subject's. */
  async read({ key, form }: SubjectKey): Promise<string | null | undefined> {
    const [of, text, keyId] = (await this.#call(READ, key, [])) as readonly (string | null)[];
    if (of !== form) return undefined;
    return typeof text === "string" ? this.#codec.decode(text, keyId || null, answerPlace(key)) : null;
  }

  /** Of a token with a subject. A call that is sent late finds the key in the set for another hour. */
  async #register(key: string, token: string, ms: number): Promise<void> {
    const form = token.slice(token.indexOf(" ") + 1);
    if (form === "") return;
    await this.#ofSubject(REGISTER, form, [key, ms + LATE_MS]);
  }

  #call(script: RedisScript, key: string, args: readonly RedisValue[]): Promise<unknown> {
    return this.#connection.call("keys", script, [this.#connection.keyOf("key", key)], args);
  }

  #ofSubject(script: RedisScript, form: string, args: readonly RedisValue[]): Promise<unknown> {
    return this.#connection.call("keys", script, [this.#connection.keyOf("subject", form)], args);
  }
}
