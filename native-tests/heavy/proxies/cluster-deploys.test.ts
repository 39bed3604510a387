// examples/cluster: its hosts restarted, and deployed in another release, while clients ask.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";

import type { Cluster } from "../../../examples/cluster/cluster.js";
import { clusterForTest, skipWithoutCluster } from "../../support/cluster.js";
import { until } from "../../support/patience.js";
import { type Ask, type RestartOutcome, SteadyLoad } from "../../support/steady-load.js";

/** In each of the two tests, at least. */
const REQUESTS = 5000;
const CLIENTS = 16;

describe("three machines under load", { skip: skipWithoutCluster }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await clusterForTest({ env: { RELEASE: "1" } });
  });
  after(() => cluster?.stop());

  const titleOf = ({ machine, pid }: Cluster["hosts"][number]): string => `${machine.name} ${pid}`;

  /** Of ten requests one is an order, in either release. */
  async function one(number: number, ask: Ask): Promise<string> {
    if (number % 10 !== 0) {
      const { host, pid } = JSON.parse(await ask({ method: "GET", path: "/host" }));
      return `${host} ${pid}`;
    }
    const headers = { "content-type": "application/json", "idempotency-key": `"${randomUUID()}"` };
    const body = JSON.stringify({ sku: "tea", pieces: 1 });
    const { steps } = JSON.parse(await ask({ method: "POST", path: "/orders", headers, body }));
    if (!/^reserve on .,pay on .,(wrap on .,)?ship on .$/.test(steps.join()))
      throw new Error(`answered ${steps}`);
    return steps.length === 3 ? "release 1" : "release 2";
  }

  /** Ends each host in turn, and starts it with these variables. */
  async function rolledOut(env: Readonly<Record<string, string>>): Promise<RestartOutcome> {
    const load = new SteadyLoad({ address: cluster.address, clients: CLIENTS, pauseMs: 50, one });
    for (const host of cluster.hosts) await load.isAnsweredBy(titleOf(host));
    const clients = load.run();
    for (const host of cluster.hosts) {
      const code = await host.stop();
      if (code !== 0) load.failures.push(`host ${host.machine.name} ended with ${code}: ${host.log}`);
      await host.start(env);
      await load.isAnsweredBy(titleOf(host));
    }
    await until("all requests are sent", () => load.sent >= REQUESTS, 120_000);
    await load.end(clients);
    return load;
  }

  const hostsIn = ({ answered }: RestartOutcome) => [...answered].filter((name) => /^[abc] \d+$/.test(name));

  test("lose no request in a rolling restart", async () => {
    const load = await rolledOut({});

    assert.deepEqual(load.failures, []);
    assert.equal(hostsIn(load).length, 6, "three before, three after");
  });

  test("lose no request in a rolling deploy of another release", async () => {
    const load = await rolledOut({ RELEASE: "2" });

    assert.deepEqual(load.failures, []);
    assert.deepEqual([...load.answered].filter((name) => name.startsWith("release")).sort(), [
      "release 1",
      "release 2",
    ]);
  });
});
