import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainCodec } from "#core/ports/codec.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { beginning } from "../../support/hosts.js";
import { until } from "../../support/patience.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const ROUNDS = 200;
const AXONS = [{ name: "sums", versions: ["1.0.0"] }];
const waiting: RunEntry = {
  ...{ kind: "waiting", at: 3, completed: [], node: "sums/w", input: 1, bus: {}, jumps: 0 },
  signals: ["no", "ok"],
};

const twoOf = async (open: OpenDatabase): Promise<readonly [SqlRuns, SqlRuns]> => {
  const databases = [await open("waits"), await open("waits")] as const;
  await databases[0].open();
  return [new SqlRuns(databases[0], plainCodec), new SqlRuns(databases[1], plainCodec)];
};

function waitsIn(name: string, open: OpenDatabase): void {
  test(`${name}: no run misses a signal that another process keeps as it begins to wait`, async () => {
    const [one, two] = await twoOf(open);
    const ids = Array.from({ length: ROUNDS }, (_, n) => `run-${n}`);
    await Promise.all(ids.map((id) => one.append(id, 0, [beginning("sums")], "one")));
    const told = await Promise.all(
      ids.map(async (id) => {
        const [appended, signalled] = await Promise.all([
          one.append(id, 1, [waiting], "one"),
          two.waits.signal(id, { name: "ok", id: "1", payload: null }),
        ]);
        const byAppend = typeof appended === "object" && appended.isDue === true;
        return byAppend !== (signalled.kind === "kept" && signalled.isAwaited);
      }),
    );

    assert.deepEqual(new Set(told), new Set([true]), "one of them tells that it is due");
    const due = await one.waits.due({ axons: AXONS, release: "r", withinMs: 0, limit: 1000 });
    assert.equal(due.length, ROUNDS);
  });

  test(`${name}: many signals to one run at once are kept once each, in an order`, async () => {
    const [one, two] = await twoOf(open);
    await one.append("many", 0, [beginning("sums")], "one");
    const ids = Array.from({ length: 40 }, (_, n) => `${n}`);
    const kinds = await Promise.all(
      [one, two].flatMap(({ waits }) =>
        ids.map(async (id) => (await waits.signal("many", { name: "ok", id, payload: id })).kind),
      ),
    );

    const kept = await one.waits.signals("many", ["ok"]);
    assert.equal(kinds.filter((kind) => kind === "kept").length, 40);
    assert.deepEqual(
      kept.map(({ number }) => number),
      ids.map((id) => Number(id) + 1),
    );
    assert.deepEqual(new Set(kept.map(({ payload }) => payload)), new Set(ids));
  });
}

waitsIn("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  const open = postgresDatabases();
  waitsIn("PostgreSQL", open);

  test("what listens hears signals that end a wait, and requests to hosts, of other processes", async () => {
    const [one, two] = await twoOf(open);
    await one.append("heard", 0, [beginning("sums"), waiting], "one");
    let heard = 0;
    const listening = one.waits.listen?.(() => {
      heard += 1;
    });
    await until("it listens", () => heard === 1);
    await two.waits.signal("heard", { name: "other", id: "1", payload: 1 });
    await two.waits.signal("heard", { name: "ok", id: "2", payload: 1 });
    await until("the signal is heard", () => heard === 2);
    await two.append("heard", 2, [waiting]);
    const requests = new SqlRequests(await open("waits"), plainCodec);
    await requests.ask({ id: "r", kind: "clear", target: "t", by: "cli" }, 60_000);
    await until("the request is heard", () => heard === 3);
    await listening?.end();
    await two.waits.signal("heard", { name: "no", id: "3", payload: 1 });

    assert.equal(heard, 3);
  });

  test("what listens is connected again after its connection was lost", async () => {
    const database: SqlDatabase = await open("waits");
    const runs = new SqlRuns(database, plainCodec);
    let heard = 0;
    const listening = runs.waits.listen?.(() => {
      heard += 1;
    });
    await until("it listens", () => heard === 1);
    await database.read(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
      [],
    );

    await until("it listens again", () => heard >= 2);
    await listening?.end();
  });
});
