// examples/cluster: what three machines share, through HAProxy and around it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";

import type { Cluster, Host } from "../../../examples/cluster/cluster.js";
import {
  ask,
  clusterForTest,
  type HostJson,
  type OrderJson,
  OWN_PAGE,
  type RunsJson,
  skipWithoutCluster,
} from "../../support/cluster.js";
import { skipWithout } from "../../support/debian-program.js";
import { until } from "../../support/patience.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const CLIENTS = 16;

describe("three machines behind HAProxy", { skip: skipWithoutCluster }, () => {
  let cluster: Cluster;
  let began = 0;
  before(async () => {
    cluster = await clusterForTest({ env: { LEASE_MS: "2000", STEP_MS: "1500" } });
    began = performance.now();
    console.log(`The machines are ${cluster.network.kind}.`);
  });
  after(() => cluster?.stop());

  const hosts = () => cluster.hosts as readonly [Host, Host, Host];

  /** Kills it, and starts it again when `during` has ended. */
  async function without(host: Host, during: () => Promise<void>): Promise<void> {
    await host.stop("SIGKILL");
    try {
      await during();
    } finally {
      await host.start();
      await until("the balancer gives it requests", async () => {
        const { json } = await ask<HostJson>(cluster.address, "/host");
        return json.pid === host.pid;
      });
    }
  }

  test("each get requests of the balancer", async () => {
    const seen = new Set<string>();
    await until("each host answers", async () => {
      seen.add((await ask<HostJson>(cluster.address, "/host")).json.host);
      return seen.size === 3;
    });
  });

  test("admit exactly 1000 of 3000 requests", async () => {
    const statuses = new Map<number, number>();
    const remaining = { count: 3000 };
    const client = async (): Promise<void> => {
      while (remaining.count > 0) {
        remaining.count -= 1;
        const { status } = await ask(cluster.address, "/price");
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));

    assert.deepEqual(Object.fromEntries(statuses), { 200: 1000, 429: 2000 });
  });

  test("know a session that one of them made, until another has ended it everywhere", async () => {
    const [a, b, c] = hosts();
    const login = async (host: Host) => {
      const { headers } = await ask(host.address, "/login", { json: { name: "ann" } });
      return { cookie: `${headers["set-cookie"]?.[0]?.split(";")[0]}` };
    };
    const [first, second] = [await login(a), await login(b)];
    const me = await ask(c.address, "/me", { headers: first });
    assert.deepEqual([me.status, me.json], [200, { name: "ann" }]);
    await ask(c.address, "/me/logout-everywhere", { method: "POST", headers: { ...first, ...OWN_PAGE } });

    for (const host of hosts())
      for (const headers of [first, second])
        assert.equal((await ask(host.address, "/me", { headers })).status, 401);
  });

  test("continue an order of a killed host, for the client that sends it again", async () => {
    const [a, b] = hosts();
    const order = { json: { sku: "tea", pieces: 3 }, headers: { "idempotency-key": '"killed"' } };
    const cut = ask(a.address, "/orders", order).then(
      () => "answered",
      () => "cut",
    );
    await until("the order is at its second step", async () => {
      const headers = { authorization: `Bearer ${cluster.viewerToken}` };
      const { json } = await ask<RunsJson>(a.inspector, "/api/v1/runs", { headers });
      return json.data.runs[0]?.node === "order/pay";
    });

    await without(a, async () => {
      assert.equal(await cut, "cut");
      // As the balancer would send it: a key belongs to its caller, here by the address.
      const { status, json } = await ask<OrderJson>(b.address, "/orders", order);
      assert.equal(status, 200);
      assert.equal(json.steps[0], "reserve on a");
      assert.match(json.steps.join(), /^reserve on a,pay on ([bc]),wrap on \1,ship on \1$/);
    });
  });

  test("have no state of their own that they would warn of", async () => {
    // Hosts look for others at each tenth beat, which is every seven seconds here.
    await until("each has looked twice", () => performance.now() - began > 15_000);
    const codes = hosts().flatMap(({ log }) => [...log.matchAll(/"level":[456]0.*"code":"(\w+)"/g)]);

    // A busy machine holds the loop.
    assert.deepEqual(
      codes.map(([, code]) => code).filter((code) => code !== "LOOP_BLOCKED"),
      [],
    );
  });
});

describe("the script of three machines", { skip: skipWithoutCluster }, () => {
  test("prints where all of it is, and ends all of it at Ctrl-C", async () => {
    const child = spawn(process.execPath, programArguments("examples/cluster/start.ts"), {
      env: { ...bareEnvironment(), FRAMEWORK_PROFILE: "dev" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    try {
      let written = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        written += text;
      });
      await until("it has printed how to end it", () => written.includes("Ctrl-C"), 60_000);
      const [, address = ""] = /is at http:\/\/(\S+),/.exec(written) ?? [];
      assert.equal((await ask(address, "/host")).status, 200);
      child.kill("SIGINT");

      assert.deepEqual(await closed, [0, null]);
      assert.doesNotMatch(networks(), new RegExp(`\\bfw${child.pid}n`));
    } finally {
      child.kill("SIGKILL");
    }
  });
});

/** Empty where machines are addresses of loopback. */
const networks = (): string =>
  skipWithout("ip") ? "" : execFileSync("sh", ["-c", "ip netns; ip link; true"], { encoding: "utf8" });
