// examples/cluster: a machine is cut off from all others, and joined again. No process is restarted.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";

import type { Cluster, Host } from "../../../examples/cluster/cluster.js";
import type { Machine } from "../../../examples/cluster/network.js";
import {
  type Asked,
  ask,
  clusterForTest,
  type HostJson,
  type OrderJson,
  type RunsJson,
  skipWithoutCluster,
  Watcher,
} from "../../support/cluster.js";
import { until } from "../../support/patience.js";
import { WebSocketClient } from "../../support/websocket-client.js";

/** A client gives up sooner; a server that hangs would not answer at all. */
const BOUND_MS = 15_000;
/** Guards wait for their store for half a second, and this machine may be busy. */
const REFUSED_MS = 5000;

describe("three machines of which one is cut off", { skip: skipWithoutCluster }, () => {
  let cluster: Cluster;
  let before3: readonly (number | undefined)[];
  before(async () => {
    cluster = await clusterForTest({ env: { LEASE_MS: "2000", STEP_MS: "500" } });
    before3 = cluster.hosts.map(({ pid }) => pid);
  });
  after(() => cluster?.stop());

  const ordered = (key: string) =>
    ask(cluster.address, "/orders", {
      json: { sku: "tea", pieces: 3 },
      headers: { "idempotency-key": `"${key}"` },
      withinMs: BOUND_MS,
    });
  const statusOf = (path: string): Promise<number> =>
    ask(cluster.address, path, { withinMs: BOUND_MS }).then(({ status }) => status);

  async function cutOff(machine: Machine, during: () => Promise<void>): Promise<void> {
    machine.cut();
    try {
      await during();
    } finally {
      machine.mend();
    }
  }

  async function allServe(): Promise<void> {
    const seen = new Set<string>();
    await until("each host serves again", async () => {
      const { status, json } = await ask<HostJson>(cluster.address, "/host");
      if (status === 200) seen.add(json.host);
      return seen.size === 3;
    });
    await until("orders are taken", async () => (await ordered(randomUUID())).status === 200);
    assert.deepEqual(
      cluster.hosts.map(({ pid }) => pid),
      before3,
    );
  }

  test("serve without a host that is cut off, which serves again when it is back", async () => {
    const [a, b] = cluster.hosts as readonly [Host, Host, Host];
    await cutOff(a.machine, async () => {
      const seen: string[] = [];
      await until("20 requests in a row are answered, none by it", async () => {
        const host = await ask<HostJson>(cluster.address, "/host", { withinMs: BOUND_MS }).then(
          ({ status, json }) => (status === 200 ? json.host : ""),
          () => "",
        );
        if (host === "" || host === "a") seen.length = 0;
        else seen.push(host);
        return seen.length === 20;
      });
      assert.ok(seen.includes("b"));
      assert.equal((await ordered(randomUUID())).status, 200);
    });
    assert.ok(b.pid !== undefined);
    await allServe();
  });

  test("run an order to its end once, whose host is cut off in the middle", async () => {
    const [a, b] = cluster.hosts as readonly [Host, Host, Host];
    const order = {
      json: { sku: "tea", pieces: 3 },
      headers: { "idempotency-key": `"${randomUUID()}"` },
      withinMs: BOUND_MS,
    };
    const first = ask(a.address, "/orders", order).then(
      ({ json }) => json,
      () => "cut",
    );
    const unfinished = async () => {
      const headers = { authorization: `Bearer ${cluster.viewerToken}` };
      return (await ask<RunsJson>(b.inspector, "/api/v1/runs", { headers })).json.data.runs;
    };
    await until("the order is at its second step", async () => (await unfinished())[0]?.node === "order/pay");
    await cutOff(a.machine, async () => {
      const { status, json } = await ask<OrderJson>(b.address, "/orders", order);

      assert.equal(status, 200);
      assert.match(json.steps.join(), /^reserve on a,pay on ([bc]),wrap on \1,ship on \1$/);
    });
    await first;
    await allServe();
    assert.equal(
      await ask<OrderJson>(b.address, "/orders", order).then(({ json }) => json.steps[0]),
      "reserve on a",
    );
  });

  test("hang nowhere without PostgreSQL, and take orders when it is back", async () => {
    await cutOff(cluster.postgres.machine, async () => {
      await until("an order is refused", async () => (await ordered(randomUUID())).status === 503);
      await until("the balancer has no host that is ready", async () => (await statusOf("/host")) === 503);
    });
    await allServe();
  });

  test("refuse at once what needs Redis while it is away, and know sessions, rooms and events when it is back", async () => {
    const [a, b, c] = cluster.hosts as readonly [Host, Host, Host];
    const { headers } = await ask(a.address, "/login", { json: { name: "ann" } });
    const me = { headers: { cookie: `${headers["set-cookie"]?.[0]?.split(";")[0]}` }, withinMs: REFUSED_MS };
    const watcher = new Watcher(b.address, "/levels");
    const [member, speaker] = [await inRoom(b), await inRoom(c)];
    try {
      await until("the stream is open", () => watcher.connections === 1);
      await cutOff(cluster.redis.machine, async () => {
        const codeOf = async (path: string, options: Asked) =>
          (await ask<{ readonly code: string } | undefined>(a.address, path, options)).json?.code;
        const order = { json: { sku: "tea", pieces: 3 }, headers: { "idempotency-key": '"away"' } };

        for (let i = 0; i < 3; i += 1) {
          assert.equal(await codeOf("/price", { withinMs: REFUSED_MS }), "RATE_LIMIT_UNAVAILABLE");
          assert.equal(await codeOf("/me", me), "SESSION_STORE_UNAVAILABLE");
          assert.equal(
            await codeOf("/orders", { ...order, withinMs: REFUSED_MS }),
            "IDEMPOTENCY_UNAVAILABLE",
          );
          assert.equal(await statusOf("/host"), 200, "the balancer still has hosts");
        }
        const counted = await ask(c.address, "/levels", { json: { sku: "tea", pieces: 7 } });
        assert.equal(counted.status, 200);
      });

      await until("prices are asked again", async () => (await statusOf("/price")) === 200);
      await until("the session is known", async () => (await ask(a.address, "/me", me)).status === 200);
      await until("the event of meanwhile comes", () => watcher.pieces.includes(7));
      await until("what is said on one host is heard on another", () => {
        speaker.text('{"text":"back"}');
        return member.reads.length > 0;
      });
      await allServe();
    } finally {
      watcher.end();
      for (const client of [member, speaker]) client.destroy();
    }
  });
});

const inRoom = ({ address }: Host) => WebSocketClient.open(address, { path: "/room?name=tea" });
