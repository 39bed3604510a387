// Contract of session stores.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  REPLACED_MS,
  type SessionFound,
  type SessionOrigin,
  type SessionRecord,
  type SessionStore,
} from "#core/ports/session-store.js";

export interface OpenedSessions {
  readonly store: SessionStore;
  /** The callers' clock: milliseconds since 1970. */
  readonly now: () => number;
  /** Advances the time of callers and store. */
  readonly pass: (ms: number) => Promise<void> | void;
}

/** A key in the format of callers: 43 characters of base64url. */
const keyOf = (name: string): string => name.padEnd(43, "_");
const ANN = keyOf("owner-ann");
const BEN = keyOf("owner-ben");
const IDLE_MS = 1000;
const LIFE_MS = 5000;

/** Tests of a SessionStore. `open` is called once a test: each store begins empty. */
export function sessionStoreContract(
  name: string,
  open: () => Promise<OpenedSessions> | OpenedSessions,
): void {
  const opened = async () => {
    const { store, now, pass } = await open();
    const recordOf = (owner: string): SessionRecord => ({
      owner,
      identity: {
        subject: owner,
        issuer: "https://issuer.example",
        roles: ["clerk", "ärztin"],
        claims: { nested: { list: [1, null, "\u2028", 1e-7], __proto: true }, text: '"\\\r\n' },
      },
      data: { cart: ["a", { b: 0.1 }], "": null },
      version: 1,
      csrfSecret: keyOf("secret"),
      createdAt: now(),
      expiresAt: now() + LIFE_MS,
      idleUntil: now() + IDLE_MS,
    });
    const create = async (key: string, owner = ANN, replaces?: string): Promise<SessionRecord> => {
      const record = recordOf(owner);
      const made = await store.create(
        keyOf(key),
        record,
        now(),
        ...(replaces === undefined ? [] : [keyOf(replaces)]),
      );
      assert.equal(made, "created");
      return record;
    };
    const find = async (key: string): Promise<SessionFound> => store.find(keyOf(key), now());
    const kindOf = async (key: string): Promise<string> => (await find(key)).kind;
    /** The session has ended or expired: a store may have deleted it. */
    const isOver = async (key: string): Promise<boolean> =>
      ["expired", "unknown"].includes(await kindOf(key));
    const live = async (key: string): Promise<SessionRecord> => {
      const found = await find(key);
      assert.ok(found.kind === "live", `${key}: ${found.kind}`);
      return found.record;
    };
    const touch = async (key: string, idleMs = IDLE_MS) => store.touch(keyOf(key), now() + idleMs, now());
    const originOf = async (key: string): Promise<SessionOrigin> => {
      const found = await find(key);
      return found.kind === "live" ? found.record : { owner: ANN, createdAt: now() };
    };
    const update = async (key: string, version: number, data: SessionRecord["data"]) =>
      store.update(keyOf(key), version, data, now(), await originOf(key));
    const rotate = async (key: string, to: string, parts?: Partial<SessionRecord>) =>
      store.rotate(
        keyOf(key),
        keyOf(to),
        {
          ...{ identity: recordOf(ANN).identity, csrfSecret: keyOf("other") },
          ...(await originOf(key)),
          ...parts,
        },
        now(),
      );
    const destroyAll = async (owner = ANN) => store.destroyAll(owner, now());
    const destroy = async (key: string) => store.destroy(keyOf(key), now());
    return {
      store,
      now,
      pass,
      create,
      find,
      kindOf,
      isOver,
      live,
      touch,
      update,
      rotate,
      destroy,
      destroyAll,
    };
  };

  describe(`sessions in ${name}`, () => {
    test("are found as they were made, each by its own key", async () => {
      const { create, live, kindOf } = await opened();
      const record = await create("a");
      const other = await create("b", BEN);

      assert.deepEqual(await live("a"), record);
      assert.deepEqual(await live("b"), other);
      assert.equal(await kindOf("c"), "unknown");
      assert.equal(await kindOf("A"), "unknown");
    });

    test("idle so long and no longer", async () => {
      const { create, kindOf, isOver, pass } = await opened();
      await create("a");
      await pass(IDLE_MS - 1);
      assert.equal(await kindOf("a"), "live");
      await pass(1);

      assert.ok(await isOver("a"));
    });

    test("live as long as they are touched, to their end and no longer", async () => {
      const { create, touch, live, kindOf, isOver, now, pass } = await opened();
      const { expiresAt } = await create("a");
      for (let n = 0; n < 5; n += 1) {
        await pass(900);
        assert.equal(await touch("a"), true);
      }
      assert.equal((await live("a")).idleUntil, expiresAt);
      await pass(expiresAt - now() - 1);
      assert.equal(await kindOf("a"), "live");
      await pass(1);

      assert.ok(await isOver("a"));
      assert.equal(await touch("a"), false);
    });

    test("are not cut short by a touch that comes late", async () => {
      const { create, touch, live } = await opened();
      await create("a");
      await touch("a", 2000);
      const { idleUntil } = await live("a");
      assert.equal(await touch("a", 500), true);

      assert.equal((await live("a")).idleUntil, idleUntil);
    });

    test("do not come back by a touch, an update or a rotation once they are destroyed or their time is up", async () => {
      const { create, destroy, touch, update, rotate, kindOf, isOver, pass } = await opened();
      await create("a");
      assert.equal(await destroy("a"), true);
      assert.equal(await destroy("a"), false);
      await create("b");
      await pass(IDLE_MS);

      for (const key of ["a", "b"]) {
        assert.equal(await touch(key), false, key);
        assert.equal(await update(key, 1, {}), "gone");
        assert.equal(await rotate(key, `${key}2`), undefined);
        assert.ok(await isOver(key));
        assert.equal(await kindOf(`${key}2`), "unknown");
      }
    });

    test("keep data of the version that was seen, and say where there is another", async () => {
      const { create, update, live } = await opened();
      const { data: _, ...rest } = await create("a");

      assert.equal(await update("a", 1, { n: 1 }), "updated");
      assert.equal(await update("a", 1, { n: 9 }), "changed");
      assert.equal(await update("a", 3, { n: 9 }), "changed");
      assert.equal(await update("a", 2, { n: 2, deep: { "": [] } }), "updated");
      assert.deepEqual(await live("a"), { ...rest, data: { n: 2, deep: { "": [] } }, version: 3 });
      assert.equal(await update("b", 1, {}), "gone");
    });

    test("take one of many updates of one version", async () => {
      const { create, update, live } = await opened();
      await create("a");
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => update("a", 1, { n })));

      assert.equal(answers.filter((answer) => answer === "updated").length, 1);
      assert.deepEqual((await live("a")).data, { n: answers.indexOf("updated") });
      assert.equal((await live("a")).version, 2);
    });

    test("move to another key with their data and times, and the old key says so for a while", async () => {
      const { create, touch, update, rotate, live, kindOf, destroy, pass } = await opened();
      const made = await create("a");
      await update("a", 1, { n: 1 });
      await touch("a", 2000);
      const identity = { ...made.identity, roles: ["admin"] };
      const csrfSecret = keyOf("new");
      const moved = await rotate("a", "b", { identity, csrfSecret });

      const expected = { ...made, data: { n: 1 }, version: 2, idleUntil: made.createdAt + 2000 };
      assert.deepEqual(moved, { ...expected, identity, csrfSecret });
      assert.deepEqual(await live("b"), moved);
      assert.equal(await kindOf("a"), "replaced");
      assert.deepEqual(
        [await touch("a"), await update("a", 2, {}), await rotate("a", "c"), await destroy("a")],
        [false, "gone", undefined, false],
      );
      assert.equal(await kindOf("c"), "unknown");
      await pass(REPLACED_MS);
      assert.notEqual(await kindOf("a"), "live");
    });

    test("move again, and each key that was replaced says so", async () => {
      const { create, rotate, kindOf } = await opened();
      await create("a");
      for (const [key, to] of [
        ["a", "b"],
        ["b", "c"],
        ["c", "d"],
      ] as const)
        assert.ok(await rotate(key, to));

      assert.deepEqual(
        [await kindOf("a"), await kindOf("b"), await kindOf("c"), await kindOf("d")],
        ["replaced", "replaced", "replaced", "live"],
      );
    });

    test("move to one of many keys at once", async () => {
      const { create, rotate, kindOf } = await opened();
      await create("a");
      const moves = await Promise.all(Array.from({ length: 20 }, (_, n) => rotate("a", `b${n}`)));
      const kinds = await Promise.all(moves.map((_, n) => kindOf(`b${n}`)));

      assert.equal(moves.filter((moved) => moved !== undefined).length, 1);
      assert.deepEqual(
        kinds,
        moves.map((moved) => (moved === undefined ? "unknown" : "live")),
      );
    });

    test("lose no touch and no update to a rotation: it comes before, or is refused", async () => {
      const { create, touch, update, rotate, live, kindOf } = await opened();
      for (let n = 0; n < 20; n += 1) {
        const [from, to] = [`a${n}`, `b${n}`];
        await create(from);
        const [, updated, touched] = await Promise.all([
          rotate(from, to),
          update(from, 1, { n }),
          touch(from, 3000),
        ]);
        const { data, createdAt, idleUntil } = await live(to);

        assert.notEqual(await kindOf(from), "live");
        assert.deepEqual(updated === "updated" ? data : { n }, { n }, updated);
        assert.equal(data["n"], updated === "updated" ? n : undefined);
        assert.equal(idleUntil - createdAt, touched ? 3000 : IDLE_MS);
      }
    });

    test("take the place of another in one step, whosever that was", async () => {
      const { create, kindOf, live } = await opened();
      await create("a");
      const record = await create("b", BEN, "a");
      await create("c", ANN, "nobody's");

      assert.equal(await kindOf("a"), "replaced");
      assert.deepEqual(await live("b"), record);
      assert.equal(await kindOf("nobody's"), "unknown");
    });

    test("end all of one owner, and of no other", async () => {
      const { create, rotate, kindOf, destroyAll } = await opened();
      for (const key of ["a", "b", "c"]) await create(key);
      await create("d", BEN);
      await rotate("c", "c2");

      assert.equal(await destroyAll(), 3);
      assert.equal(await destroyAll(), 0);
      for (const key of ["a", "b", "c", "c2"]) assert.notEqual(await kindOf(key), "live", key);
      assert.equal(await kindOf("d"), "live");
      await create("e");
      assert.equal(await kindOf("e"), "live");
    });

    test("of which time is up are removed without being counted as ended", async () => {
      const { create, destroy, destroyAll, kindOf, touch, pass } = await opened();
      for (const key of ["a", "b", "c"]) await create(key);
      await touch("c", 2 * IDLE_MS);
      await pass(IDLE_MS);

      assert.equal(await destroy("a"), false);
      assert.equal(await destroyAll(), 1);
      for (const key of ["a", "b", "c"]) assert.equal(await kindOf(key), "unknown");
    });

    test("end too while they are rotated, and none is missed while it is made", async () => {
      const { create, rotate, touch, update, kindOf, destroyAll } = await opened();
      for (let round = 0; round < 10; round += 1) {
        const key = (what: string) => `${what}-${round}`;
        await create(key("old"));
        const [, , , ended] = await Promise.all([
          rotate(key("old"), key("moved")),
          create(key("made"), ANN),
          touch(key("old")),
          destroyAll(),
          update(key("old"), 1, {}),
          rotate(key("old"), key("again")),
        ]);
        const kinds = await Promise.all(
          ["old", "moved", "again", "made"].map(async (what) => kindOf(key(what))),
        );

        // A session that is made concurrently is either ended, or made afterwards.
        const isMadeAfter = kinds[3] === "live";
        assert.ok(
          kinds.slice(0, 3).every((kind) => kind !== "live"),
          kinds.join(),
        );
        assert.equal(ended, isMadeAfter ? 1 : 2);
        await destroyAll();
      }
    });

    test("are forgotten in batches once their time is up, and no live one is", async () => {
      const { store, now, create, touch, kindOf, pass } = await opened();
      for (let n = 0; n < 7; n += 1) await create(`a${n}`);
      await touch("a3", 2 * IDLE_MS);
      assert.equal(await store.cleanUp(10, now()), 0);
      await pass(IDLE_MS);

      assert.ok((await store.cleanUp(4, now())) <= 4);
      for (let n = 0; n < 3; n += 1) await store.cleanUp(4, now());
      assert.equal(await store.cleanUp(4, now()), 0);
      assert.equal(await kindOf("a3"), "live");
      for (const n of [0, 1, 2, 4, 5, 6]) assert.equal(await kindOf(`a${n}`), "unknown");
    });
  });
}
