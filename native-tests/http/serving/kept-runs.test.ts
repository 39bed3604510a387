// What a served process does for commands, which have its stores alone.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Axon, busKey, Framework, fault, openStores, Stores, Type } from "framework";
import type { HostRequest, HostRequestStore } from "#core/ports/host-requests.js";
import type { Json } from "#core/wire/json-text.js";
import { until } from "../../support/patience.js";

const Bank = busKey<{ isUp: boolean }>()("Bank");
const folder = mkdtempSync(join(tmpdir(), "served-requests-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** The stores of a server, and those of a command. */
function opened() {
  files += 1;
  const url = `sqlite:${join(folder, `${files}.db`)}`;
  const [stores, command] = [openStores(url), openStores(url)];
  let asks = 0;
  const answered = async (request: Omit<HostRequest, "id" | "by">): Promise<Json | undefined> => {
    asks += 1;
    const requests = command.requests as HostRequestStore;
    await requests.ask({ id: `r${asks}`, by: "cli:eve", ...request }, 60_000);
    const state = async () => requests.state(`r${asks}`);
    await until(`${request.kind} is answered`, async () => (await state())?.kind !== "open");
    const found = await state();
    return found?.kind === "answered" ? found.answer : undefined;
  };
  return { stores, command, answered };
}

/** Beats are a third of it apart. */
const HOSTING = { leaseMs: 1000 };

const letter = (id: string) => ({
  ...({ id, kind: "step", axon: "plain", version: "1.0.0", node: "plain/pay", input: 1, error: 1 } as const),
  ...{ timeline: undefined, undone: [], failed_at: 1, attempts: 1 },
});

describe("a served process", () => {
  test("begins, shows and forgets runs for a command that has its stores alone", async (t) => {
    const { stores, command, answered } = opened();
    const axon = Axon.start("orders", Type.Object({ amount: Type.Number() }))
      .withPersistenceStore(Stores.mounted)
      .thenFn("pay", ({ amount }) => amount);
    const server = await Framework.http({ processGuards: false })
      .stores(stores, HOSTING)
      .post("/orders", axon)
      .bind("127.0.0.1:0")
      .run();
    t.after(() => server.close());
    const payload = { axon: "orders", input: { amount: 3 } };

    assert.deepEqual(await answered({ kind: "start", target: "o-1", payload }), { kind: "begun" });
    assert.deepEqual((await server.runs.result("o-1", { waitMs: 60_000 })).kind, "completed");
    assert.deepEqual(await answered({ kind: "forget", target: "o-1" }), { kind: "forgotten" });
    assert.deepEqual(await command.runs.read("o-1"), []);
    const events = (await command.audit.query()).map((row) => "event" in row && row.event.action);
    assert.deepEqual(events.sort(), ["run.forget", "run.start"]);
    await command.close();
  });

  test("that keeps letters and no runs re-drives and discards them, with its resources", async (t) => {
    const { stores, command, answered } = opened();
    const axon = Axon.start<number>("plain")
      .withDlqSink(stores.deadLetters)
      .thenFn("pay", (n, bus) => (bus.get(Bank).isUp ? n : (fault("down") as never)), { reads: [Bank] });
    const server = await Framework.http({ resources: [Bank], processGuards: false })
      .stores(stores, HOSTING)
      .post("/pay", axon as never)
      .bind("127.0.0.1:0")
      .run({ Bank: { isUp: true } });
    t.after(() => server.close());
    for (const id of ["one", "two"]) await command.deadLetters.send(letter(id));

    assert.deepEqual(await answered({ kind: "redrive", target: "one" }), { kind: "begun" });
    await until("it is gone", async () => (await command.deadLetters.get("one")) === undefined);
    assert.deepEqual(await answered({ kind: "discard", target: "two" }), { kind: "discarded" });
    assert.deepEqual(await command.deadLetters.list(), []);
    await command.close();
  });

  test("that keeps neither beats in its stores, for others to see that it lives", async () => {
    const { stores, command } = opened();
    const server = await Framework.http({ processGuards: false })
      .stores(stores, HOSTING)
      .post("/plain", Axon.start<number>("plain").thenFn("add", (n) => n) as never)
      .bind("127.0.0.1:0")
      .run();
    const [host] = (await command.runs.hosts?.()) ?? [];
    await server.close();

    assert.deepEqual([host?.isAlive, host?.facts?.pid, host?.facts?.axons], [true, process.pid, {}]);
    assert.ok(Math.abs((host?.facts?.began_at ?? 0) - performance.timeOrigin) <= 1);
    assert.deepEqual((await command.runs.hosts?.())?.[0]?.isAlive, false, "until it ends");
    await command.close();
  });
});
