import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Axon, bytes, Framework, openStores, Stores } from "framework";
import type { IdempotencyStore } from "framework/core";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";
import { KEY } from "../../support/idempotent-route.js";

const folder = mkdtempSync(join(tmpdir(), "keys-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const pay = Axon.start<Uint8Array>("pay").thenFn("charge", () => ({ receipt: 1 }));

/** A process of a service whose stores are in the file. `hosts` are those that its claims named. */
async function processOn(file: string) {
  const stores = openStores(`sqlite:${join(folder, file)}`);
  const hosts: (string | undefined)[] = [];
  const noting = (store: IdempotencyStore): IdempotencyStore => {
    const { claim } = store;
    return Object.assign(store, {
      claim: (...args: Parameters<typeof claim>) => {
        hosts.push(args[4]);
        return claim(...args);
      },
    });
  };
  const guardOf = (store: IdempotencyStore) => ({
    ...{ input: bytes() as never, guards: [new IdempotencyGuard({ store })] },
  });
  const shared = noting(stores.idempotency);
  const server = await Framework.http({ reporter: () => {}, processGuards: false, routeTimeoutMs: 300 })
    .stores(stores)
    .post("/kept", pay.withPersistenceStore(Stores.mounted), guardOf(shared))
    .post("/unkept", pay, guardOf(shared))
    .post("/elsewhere", pay.withPersistenceStore(Stores.mounted), guardOf(noting(new MemoryIdempotency())))
    .bind("127.0.0.1:0")
    .run();
  const post = async (path: string) =>
    (await fetch(`${server.url}${path}`, { method: "POST", body: "1", headers: KEY })).status;
  return { stores, hosts, server, post };
}

describe("the key of a kept run", () => {
  test("names the host where keys and runs are in one database, and in no other case", async () => {
    const { hosts, server, post } = await processOn("a.db");
    for (const path of ["/kept", "/unkept", "/elsewhere"]) assert.equal(await post(path), 200);
    await server.close();

    assert.deepEqual(
      hosts.map((host) => typeof host),
      ["string", "undefined", "undefined"],
    );
  });

  test("is free for other processes at once when its host has died before it began the run", async () => {
    const one = await processOn("b.db");
    const two = await processOn("b.db");
    let lose = (_: boolean): void => {};
    const isLost = new Promise<boolean>((resolve) => (lose = resolve));
    Object.assign(one.stores.runs, { append: () => isLost });
    assert.equal(await one.post("/kept"), 504);
    assert.equal(await two.post("/kept"), 503, "its host is alive");
    await one.stores.runs.leave(one.hosts[0] as string);

    assert.equal(await two.post("/kept"), 200);
    lose(false);
    await one.server.close();
    await two.server.close();
  });
});
