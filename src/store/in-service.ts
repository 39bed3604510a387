// The stores of one service: its ids and keys become those of the tables.

import type { IdempotencyStore } from "#core/ports/idempotency-store.js";
import type { LockProvider } from "#core/ports/lock.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { SessionStore } from "#core/ports/session-store.js";
import type { SqlRuns } from "./runs/sql-runs.js";
import type { Service } from "./sql/service.js";

type KeyOf = (key: string) => Promise<string> | string;

export function runsIn(service: Service, runs: SqlRuns): RunStore {
  const { keyOf } = service;
  const { append, read, glance, unfinished, ownership, requestCancel, remove, markUnfit, waits, ...others } =
    runs;
  /** Asks again by the plain id where nothing was found and the run has no service. */
  const found = async <T>(id: string, ask: (key: string) => Promise<T>, isFound: (answer: T) => boolean) => {
    const key = await keyOf(id);
    const answer = await ask(key);
    return isFound(answer) || !(await service.isEarlier(id, key)) ? answer : ask(service.idOf(id, ""));
  };
  return {
    ...others,
    append: async (id, known, entries, by) => {
      const key = await keyOf(id);
      if (known === 0 && (await service.isEarlier(id, key))) return false;
      return append(key, known, entries, by);
    },
    read: (id) =>
      found(
        id,
        async (key) => read(key),
        ({ length }) => length > 0,
      ),
    glance: (id, withBegun) =>
      found(
        id,
        async (key) => glance(key, withBegun),
        (answer) => answer !== undefined,
      ),
    unfinished: ({ id, ...filter } = {}) => {
      if (id === undefined) return unfinished(filter);
      return found(
        id,
        async (key) => unfinished({ ...filter, id: key }),
        ({ length }) => length > 0,
      );
    },
    ownership: (id) =>
      found(
        id,
        async (key) => ownership(key),
        (answer) => answer !== undefined,
      ),
    requestCancel: (id, request) =>
      found(
        id,
        async (key) => requestCancel(key, request),
        (answer) => answer !== undefined,
      ),
    remove: (id, only) =>
      found(
        id,
        async (key) => remove(key, only),
        (isRemoved) => isRemoved,
      ),
    markUnfit: async (id, known, why) => markUnfit(await keyOf(id), known, why),
    waits: {
      due: waits.due,
      untold: waits.untold,
      ...(waits.listen && { listen: waits.listen }),
      signal: (id, signal) =>
        found(
          id,
          async (key) => waits.signal(key, signal),
          ({ kind }) => kind !== "unknown",
        ),
      signals: (id, names) =>
        found(
          id,
          async (key) => waits.signals(key, names),
          ({ length }) => length > 0,
        ),
      wake: (id, known) =>
        found(
          id,
          async (key) => waits.wake(key, known),
          (isWoken) => isWoken,
        ),
      told: async (id) => waits.told(await keyOf(id)),
    },
  };
}

export const sessionsIn = (keyOf: KeyOf, sessions: SessionStore): SessionStore => {
  const { create, find, touch, update, rotate, destroy, destroyAll, cleanUp } = sessions;
  return {
    create: async (key, record, now, replaces) =>
      create(await keyOf(key), record, now, replaces === undefined ? replaces : await keyOf(replaces)),
    find: async (key, now) => find(await keyOf(key), now),
    touch: async (key, ...rest) => touch(await keyOf(key), ...rest),
    update: async (key, ...rest) => update(await keyOf(key), ...rest),
    rotate: async (key, to, ...rest) => rotate(await keyOf(key), await keyOf(to), ...rest),
    destroy: async (key, now) => destroy(await keyOf(key), now),
    destroyAll,
    cleanUp,
  };
};

export const keysIn = (keyOf: KeyOf, { claim, keep, release }: IdempotencyStore): IdempotencyStore => ({
  claim: async (key, ...rest) => {
    const claimed = await claim(await keyOf(key), ...rest);
    return claimed.kind === "first" ? { ...claimed, lease: { ...claimed.lease, key } } : claimed;
  },
  keep: async ({ key, token }, ...rest) => keep({ key: await keyOf(key), token }, ...rest),
  release: async ({ key, token }) => release({ key: await keyOf(key), token }),
});

export const locksIn = (keyOf: KeyOf, { acquire, renew, release }: LockProvider): LockProvider => ({
  acquire: async (key, ttlMs) => {
    const lease = await acquire(await keyOf(key), ttlMs);
    return lease && { ...lease, key };
  },
  renew: async ({ key, token }, ttlMs) => renew({ key: await keyOf(key), token }, ttlMs),
  release: async ({ key, token }) => release({ key: await keyOf(key), token }),
});
