// Erases what Redis has of a subject: sessions, and responses under idempotency keys.

import type { ErasureSink, SinkErased } from "#core/ports/erasure.js";
import type { RedisIdempotency } from "../redis/redis-idempotency.js";
import type { RedisSessions } from "../redis/redis-sessions.js";
import { subjectHashes } from "./subject-hashes.js";
import { Walk } from "./walk.js";

/** Sinks of what is in Redis. */
export const redisErasureSinks = ({
  sessions,
  keys,
}: {
  readonly sessions?: RedisSessions | undefined;
  readonly keys?: RedisIdempotency | undefined;
}): readonly ErasureSink[] => [
  ...(sessions === undefined ? [] : [sinkOfSessions(sessions)]),
  ...(keys === undefined ? [] : [sinkOfKeys(keys)]),
];

const sinkOfSessions = (store: RedisSessions): ErasureSink => ({
  name: "sessions (redis)",
  erase: async (subject, { clock, goesOn }): Promise<SinkErased> => {
    let erased = 0;
    for (const hash of subjectHashes(subject)) {
      goesOn();
      erased += (await store.end(hash, clock.now())).ended;
    }
    return { erased };
  },
  count: async (subject) => {
    let found = 0;
    for (const hash of subjectHashes(subject)) found += await store.count(hash);
    return found;
  },
  values: async function* (subject) {
    for (const hash of subjectHashes(subject))
      for await (const { identity, data, createdAt } of store.of(hash)) {
        const id = `created ${new Date(createdAt).toISOString()}`;
        yield { place: "session login", id, value: { identity } };
        yield { place: "session data", id, value: data };
      }
  },
  issuers: async function* () {
    const seen = new Set<string>();
    for await (const { identity } of store.all()) {
      const { issuer } = identity;
      if (issuer === undefined || seen.has(issuer)) continue;
      seen.add(issuer);
      yield issuer;
    }
  },
});

const sinkOfKeys = (store: RedisIdempotency): ErasureSink => ({
  name: "idempotency keys (redis)",
  // ER1: the key of a request in progress is left and named.
  erase: async (subject, { goesOn, signal }): Promise<SinkErased> => {
    const walk = new Walk();
    let erased = 0;
    for (const hash of subjectHashes(subject))
      for await (const key of store.of(hash)) {
        if (signal.aborted) break;
        goesOn();
        const state = await store.erase(key);
        if (state === "erased") erased += 1;
        if (state === "running") walk.leave("the key of a request that has not ended");
      }
    return { ...walk.result(), erased };
  },
  count: async (subject) => {
    let found = 0;
    for (const hash of subjectHashes(subject))
      for await (const key of store.of(hash)) if ((await store.read(key)) !== undefined) found += 1;
    return found;
  },
  values: async function* (subject) {
    for (const hash of subjectHashes(subject))
      for await (const key of store.of(hash)) {
        const text = await store.read(key);
        if (typeof text === "string") yield { place: "idempotency", id: key.key, value: JSON.parse(text) };
      }
  },
});
