import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";

import type { DeadLetter } from "framework/core";
import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import { eraseSubject } from "#compliance/erasure/erase-subject.js";
import { erasureSubject } from "#compliance/erasure/erasure-subject.js";
import { exportSubject } from "#compliance/erasure/export-subject.js";
import { type Codec, plainCodec } from "#core/ports/codec.js";
import type { RunEntry } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import { hashedSubject } from "#runtime/run/subject.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { Service } from "#store/sql/service.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { SqlIdempotency } from "#store/sql/sql-idempotency.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { SqlSessions } from "#store/sql/sql-sessions.js";
import { SqlErasure } from "#store/subjects/sql-erasure.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const ISSUER = "https://id.example";
const ANN = erasureSubject("test", "ann", ISSUER);
const BOB = erasureSubject("test", "bob", ISSUER);
const NOW = Date.now();
const LIFE_MS = 3_600_000;

const begun = (subject: string): RunEntry => ({
  ...{ kind: "begun", at: NOW, axon: "orders", version: "1", node: "orders/1", bus: {}, jumps: 0 },
  ...{ input: `of ${subject}`, subject, labels: { patient: `label of ${subject}` } },
});
const ended: RunEntry = { kind: "ended", at: NOW, output: "done" };
const letterOf = (id: string, subject: string): DeadLetter & { readonly subject: string } => ({
  ...{ id, kind: "step", axon: "orders", version: "1", node: "orders/pay", input: `of ${subject}`, error: 1 },
  ...{ timeline: undefined, failed_at: NOW, attempts: 1, undone: [], subject },
});

function storesIn(database: SqlDatabase, codec: Codec = plainCodec, name = "shop") {
  const service = new Service(database, name);
  const runs = new SqlRuns(database, codec, service);
  const requests = new SqlRequests(database, codec, name);
  const erasure = new SqlErasure(database, codec, service, runs, requests);
  return {
    ...{ service, runs, requests, erasure },
    letters: new SqlDeadLetters(database, codec, service),
    sessions: new SqlSessions(database, codec, service),
    keys: new SqlIdempotency(database, codec, name),
    stores: { shown: "test", erasure: { sinks: erasure.sinks, progress: erasure } },
  };
}

type Stores = ReturnType<typeof storesIn>;

/** Two ended runs, a letter, two sessions and a kept response: 6 rows. */
async function fill({ runs, letters, sessions, keys }: Stores, { hash }: typeof ANN, prefix: string) {
  for (const n of [1, 2]) {
    const id = `${prefix} run ${n}`;
    await runs.append(id, 0, [begun(hash)]);
    await runs.waits.signal(id, { name: "ok", id: "1", payload: `signal of ${prefix}` });
    const effects = [
      { node: "orders/ask", outcome: { kind: "next", value: `effect of ${prefix}` } },
    ] as const;
    await runs.append(id, 1, [{ ...ended, effects }]);
  }
  await letters.send(letterOf(`${prefix} letter`, hash));
  for (const n of [1, 2])
    await sessions.create(
      `${prefix} session ${n}`,
      {
        ...{ owner: hash, identity: { subject: prefix, issuer: ISSUER, roles: [], claims: {} } },
        ...{ data: { cart: prefix }, version: 1, csrfSecret: "secret", createdAt: NOW },
        ...{ expiresAt: NOW + LIFE_MS, idleUntil: NOW + LIFE_MS },
      },
      NOW,
    );
  const claimed = await keys.claim(`${prefix} key`, "print", LIFE_MS, hash);
  assert.equal(claimed.kind, "first");
  if (claimed.kind === "first")
    await keys.keep(claimed.lease, { status: 200, headers: "", body: Buffer.from(prefix) }, LIFE_MS);
}

const REQUEST = { id: "request-17", subject: "ann", issuer: ISSUER, reason: "asked by letter" };
const counts = { runs: 2, letters: 1, sessions: 2, "idempotency keys": 1 };

async function all(database: SqlDatabase): Promise<string> {
  const rows: unknown[] = [];
  for (const table of [
    "run",
    "run_part",
    "run_label",
    "run_signal",
    "letter",
    "session",
    "idempotency",
    "request",
  ] as const)
    rows.push(await database.read(`SELECT * FROM ${database.tables[table]}`, []));
  return JSON.stringify(rows);
}

const erasedIn = (sinks: readonly { readonly sink: string; readonly erased: number }[]) =>
  Object.fromEntries(sinks.filter(({ erased }) => erased > 0).map(({ sink, erased }) => [sink, erased]));

const keyed = async (current: string, ...ids: readonly string[]): Promise<Codec> => {
  const keys = Object.fromEntries([current, ...ids].map((id) => [id, MASTER_KEYS(id)]));
  const hook = new EncryptionHook({ keys: () => ({ current, keys }) });
  await hook.open();
  return hook;
};
const made = new Map<string, Buffer>();
const MASTER_KEYS = (id: string): Buffer => {
  const key = made.get(id) ?? randomBytes(32);
  made.set(id, key);
  return key;
};

function erasure(name: string, open: OpenDatabase): void {
  describe(`an erasure in ${name}`, () => {
    test("removes each row of the subject and no other, and says how many", async () => {
      const database = await open();
      const shop = storesIn(database);
      await fill(shop, ANN, "ann");
      await fill(shop, BOB, "bob");
      const before = await all(database);

      const { state, sinks, otherIssuers } = await eraseSubject(REQUEST, { stores: shop.stores });

      assert.deepEqual([state, erasedIn(sinks), otherIssuers], ["done", counts, []]);
      const after = await all(database);
      assert.match(before, new RegExp(ANN.hash));
      assert.equal(before.split(`"name":"patient"`).length - 1, 4);
      assert.doesNotMatch(after, new RegExp(`ann|${ANN.hash}`));
      for (const sink of shop.erasure.sinks.slice(0, 4))
        assert.equal(await sink.count?.(BOB), counts[sink.name as keyof typeof counts]);
    });

    test("removes requests to hosts about a letter, and names letters as their service does", async () => {
      const database = await open();
      const [shop, bank] = [storesIn(database), storesIn(database, plainCodec, "bank")];
      await shop.service.enter();
      const letters = new SqlDeadLetters(database, plainCodec, bank.service);
      for (const id of ["done", "busy"]) await letters.send(letterOf(id, ANN.hash));
      await letters.claim("busy", "a", LIFE_MS);
      const request = { kind: "redrive", by: "eve", reason: "ann called" };
      await bank.requests.ask({ ...request, id: "1", target: "done" }, LIFE_MS);

      const { sinks } = await eraseSubject(REQUEST, { stores: bank.stores });

      assert.deepEqual(sinks[1]?.left, ["letter busy: it is being re-driven"]);
      assert.equal(await bank.requests.state("1"), undefined);
    });

    test("leaves the rows of another service", async () => {
      const database = await open();
      const [shop, bank] = [storesIn(database), storesIn(database, plainCodec, "bank")];
      await shop.service.enter();
      await fill(bank, ANN, "ann");

      const erased = await eraseSubject(REQUEST, { stores: shop.stores });

      assert.deepEqual([erased.state, erasedIn(erased.sinks)], ["done", {}]);
      const { sinks } = await eraseSubject({ ...REQUEST, id: "bank" }, { stores: bank.stores });
      assert.deepEqual(erasedIn(sinks), counts);
    });

    test("finds plain rows and those under each key", async () => {
      const database = await open();
      await fill(storesIn(database), ANN, "plain");
      await fill(storesIn(database, await keyed("old")), ANN, "old");
      const shop = storesIn(database, await keyed("new", "old"));
      await fill(shop, ANN, "new");

      const { sinks } = await eraseSubject(REQUEST, { stores: shop.stores });

      const thrice = Object.fromEntries(Object.entries(counts).map(([sink, count]) => [sink, 3 * count]));
      assert.deepEqual(erasedIn(sinks), thrice);
      assert.equal(await all(database), "[[],[],[],[],[],[],[],[]]");
    });

    test("leaves what something works on, and names it: a run, a letter, a key", async () => {
      const database = await open();
      const shop = storesIn(database);
      await shop.runs.beat("a", LIFE_MS);
      await shop.runs.append("at work", 0, [begun(ANN.hash)], "a");
      await shop.runs.append("stuck", 0, [begun(ANN.hash), { kind: "stuck", at: NOW }]);
      await shop.letters.send(letterOf("busy", ANN.hash));
      assert.ok(await shop.letters.claim("busy", "a", LIFE_MS));
      await shop.keys.claim("key", "print", LIFE_MS, ANN.hash);

      const erased = await eraseSubject(REQUEST, { stores: shop.stores, waitMs: 0 });

      assert.equal(erased.state, "in_progress");
      // ER1: they are still there.
      assert.deepEqual(
        erased.sinks.map(({ sink, state, left }) => [sink, state, left]),
        [
          [
            "runs",
            "in_progress",
            [
              "run at work: it has not ended, host a",
              "run stuck: it is stuck; resume it, or cancel it by runs.cancel",
            ],
          ],
          ["letters", "in_progress", ["letter busy: it is being re-driven"]],
          ["sessions", "done", []],
          ["idempotency keys", "in_progress", ["the key of a request that has not ended"]],
          ["traces", "in_progress", ["host a: it did not respond"]],
        ],
      );
      assert.equal((await shop.runs.read("at work")).length, 1);
    });

    test("counts what hosts dropped, and names those that refused or failed: they kept it", async () => {
      const shop = storesIn(await open());
      const answers = new Map<string, Json>([
        ["a", { forgotten: 3 }],
        ["b", { kind: "refused", code: "KIND_UNKNOWN" }],
        ["c", { kind: "failed", reason: "no memory" }],
      ]);
      for (const host of answers.keys()) await shop.runs.beat(host, LIFE_MS);
      const answering = async (): Promise<void> => {
        for (const [host, answer] of answers)
          for (const { id } of await shop.requests.open(host, 10))
            await shop.requests.answer(id, host, answer);
      };
      const clock = {
        now: () => 0,
        after: (ms: number, then: () => void) => {
          if (ms < 1000) void answering().then(then);
          return () => {};
        },
      };

      for (const erasures of [1, 2]) {
        const { sinks } = await eraseSubject(REQUEST, { stores: shop.stores, clock });

        const { erased, left } = sinks.at(-1) ?? {};
        assert.equal(erased, 3 * erasures, "asked again, not told the answer of before");
        assert.deepEqual([...(left ?? [])].sort(), [
          "host b: it kept its traces: KIND_UNKNOWN",
          "host c: it kept its traces: no memory",
        ]);
      }
    });

    test("leaves a key that another person's request took meanwhile", async () => {
      const database = await open();
      const keys = new SqlIdempotency(database, plainCodec, "shop");
      const claim = await keys.claim("key", "print", LIFE_MS, ANN.hash);
      assert.ok(claim.kind === "first" && (await keys.keep(claim.lease, undefined, LIFE_MS)));
      let isTaken = false;
      const taking: SqlDatabase = {
        ...database,
        write: async (statements) => {
          if (!isTaken && /DELETE/.test(statements[0]?.sql ?? "")) {
            isTaken = true;
            const sql = `UPDATE ${database.tables.idempotency} SET subject = $1`;
            await database.write([{ sql, values: [BOB.hash] }]);
          }
          return database.write(statements);
        },
      };
      const { stores, erasure } = storesIn(taking);

      const erased = await eraseSubject(REQUEST, { stores });

      assert.deepEqual([isTaken, erased.state, erasedIn(erased.sinks)], [true, "done", {}]);
      assert.equal(await erasure.sinks[3]?.count?.(BOB), 1);
    });

    test("counts for each service what it erased under an id that both use", async () => {
      const database = await open();
      const [shop, bank] = [storesIn(database), storesIn(database, plainCodec, "bank")];
      await shop.service.enter();
      await fill(shop, ANN, "ann");

      await eraseSubject(REQUEST, { stores: shop.stores });
      const { sinks } = await eraseSubject(REQUEST, { stores: bank.stores });

      assert.deepEqual(erasedIn(sinks), {});
    });

    test("finds the text of withSubject also where it begins like a pair of issuer and subject", async () => {
      const shop = storesIn(await open(), await keyed("a"));
      const other = erasureSubject("test", "x", "abc");
      assert.equal(other.hash, hashedSubject("3:abc:x"));
      await shop.runs.append("by withSubject", 0, [begun(hashedSubject("2026:17")), ended]);
      await shop.runs.append("by identity", 0, [begun(erasureSubject("test", "2026:17").hash), ended]);
      await shop.runs.append("of another", 0, [begun(other.hash), ended]);

      for (const [subject, runs] of [
        ["2026:17", 2],
        ["3:abc:x", 0],
      ] as const) {
        const { sinks } = await eraseSubject({ subject, reason: "asked" }, { stores: shop.stores });
        assert.equal(sinks[0]?.erased, runs, subject);
      }
    });

    test("cancels unfinished runs if asked, and erases those that end", async () => {
      const database = await open();
      const shop = storesIn(database);
      await shop.runs.beat("a", LIFE_MS);
      for (const id of ["ends", "goes on"]) await shop.runs.append(id, 0, [begun(ANN.hash)], "a");
      let now = 0;
      const clock = {
        now: () => now,
        after: (ms: number, then: () => void) => {
          now += ms;
          // Its host reads the request, and ends the run.
          const end: RunEntry = { kind: "ended", at: NOW, error: "cancelled" };
          void Promise.resolve(shop.runs.append("ends", 1, [end], "a")).then(() => setImmediate(then));
          return () => {};
        },
      };

      const runs = shop.erasure.sinks.find((sink) => sink.name === "runs");
      const call = {
        ...{ id: "1", by: "test", reason: "asked", cancelRuns: true, waitMs: 1000, clock },
        ...{ signal: new AbortController().signal, goesOn: () => {} },
      };
      await shop.erasure.begin("1", ANN);
      const erased = await runs?.erase(ANN, call);

      assert.deepEqual(erased, {
        ...{ erased: 1, left: ["run goes on: it has not ended, host a"], leftCount: 1, isCounted: true },
      });
      const owned = await shop.runs.ownership("goes on");
      assert.deepEqual(owned?.cancel?.reason, "erasure: asked");
    });

    test("that is cut at any write erases the rest at the next try, and counts each row once", async () => {
      for (let cut = 1; ; cut += 1) {
        const database = await open();
        const whole = storesIn(database);
        await fill(whole, ANN, "ann");
        let writes = 0;
        let isCut = false;
        const cutting: SqlDatabase = {
          ...database,
          write: async (statements) => {
            writes += 1;
            isCut ||= writes > cut;
            if (isCut) throw new Error("killed");
            return database.write(statements);
          },
        };
        await eraseSubject(REQUEST, { stores: storesIn(cutting).stores }).catch(() => {});
        const { state, sinks } = await eraseSubject(REQUEST, { stores: whole.stores });

        assert.deepEqual([state, erasedIn(sinks)], ["done", counts], `cut behind write ${cut}`);
        assert.equal(await all(database), "[[],[],[],[],[],[],[],[]]");
        if (!isCut) break;
      }
    });

    test("refuses the id of another subject's request, and an unknown sink", async () => {
      const { stores } = storesIn(await open());
      await eraseSubject(REQUEST, { stores });

      await assert.rejects(eraseSubject({ ...REQUEST, subject: "bob" }, { stores }), {
        code: "CONFIG_INVALID",
        message: "eraseSubject: id 'request-17' belongs to the request of another subject",
      });
      await assert.rejects(eraseSubject({ ...REQUEST, scope: ["letter"] }, { stores }), {
        message: "eraseSubject: scope has 'letter', which is no sink; did you mean letters?",
      });
    });

    test("of nothing says under which issuer the subject has data", async () => {
      const shop = storesIn(await open(), await keyed("a"));
      await fill(shop, ANN, "ann");

      const unknown = await eraseSubject({ subject: "carl", reason: "asked" }, { stores: shop.stores });
      const { issuer: _, id: __, ...withoutIssuer } = REQUEST;
      const plain = await eraseSubject(withoutIssuer, { stores: shop.stores });

      assert.deepEqual([unknown.state, unknown.otherIssuers], ["done", []]);
      assert.deepEqual([plain.state, plain.otherIssuers], ["done", [ISSUER]]);
    });

    test("is preceded by an export of each value, decrypted, with its place", async () => {
      const shop = storesIn(await open(), await keyed("a"));
      await fill(shop, ANN, "ann");
      await fill(shop, BOB, "bob");
      const lines = [];
      for await (const line of exportSubject({ subject: "ann", issuer: ISSUER }, { stores: shop.stores }))
        lines.push(line);

      const places = lines.map((line) => ("missing" in line ? `no ${line.sink}` : line.place));
      assert.deepEqual(places, [
        ...["run", "run", "signal", "run", "run", "signal", "letter"],
        ...["session login", "session data", "session login", "session data", "idempotency", "no traces"],
      ]);
      const text = JSON.stringify(lines);
      assert.match(text, /"cart":"ann"/);
      assert.doesNotMatch(text, /bob|secret/);
    });
  });
}

erasure("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => erasure("PostgreSQL", postgresDatabases()));
