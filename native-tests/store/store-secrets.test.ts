import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import { Axon, Framework, openStores, Stores } from "framework";

import { keepLog } from "../support/logged-ingress.js";
import { skipWithoutPostgres, startPostgres } from "../support/postgres-server.js";

const orders = Axon.start("orders")
  .withPersistenceStore(Stores.mounted)
  .thenFn("take", () => "taken");

describe("the password of a store", { skip: skipWithoutPostgres }, () => {
  test("is in no answer, log line or error of a server whose database goes away", async () => {
    const database = await startPostgres();
    const url = database.url.replace("postgres@", "postgres:hunter22@");
    const stores = openStores(url);
    const ingress = () =>
      Framework.http({ processGuards: false })
        .stores(stores)
        .readinessLivenessDefault()
        .post("/orders", orders)
        .bind("127.0.0.1:0");
    const running = ingress();
    const log = keepLog(running);
    const shown: string[] = [];
    const show = (value: unknown) => shown.push(inspect(value, { depth: 20, showHidden: true }));
    try {
      const server = await running.run();
      const ask = async (path: string, method: string) => {
        const response = await fetch(`${server.url}${path}`, { method });
        shown.push(await response.text());
        return response.status;
      };
      assert.equal(await ask("/orders", "POST"), 200);
      show(stores);
      show(server);
      database.process.kill("SIGQUIT");
      await once(database.process, "exit");

      assert.equal(await ask("/ready", "GET"), 503);
      assert.equal(await ask("/orders", "POST"), 503);
      await server.close();
      await assert.rejects(openStores(url).open(), (error) => show(error) > 0);
      await assert.rejects(ingress().run(), (error) => show(error) > 0);
    } finally {
      await database.stop();
    }
    shown.push(log.text());

    assert.match(log.text(), /CHECKPOINT_LOST/);
    assert.doesNotMatch(shown.join("\n"), /hunter22/);
  });
});
