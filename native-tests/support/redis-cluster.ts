// Several servers of Redis that are one service: a cluster, or a master with a replica and a sentinel.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findProgram } from "./debian-program.js";
import { freePort } from "./free-port.js";
import { until } from "./patience.js";
import { type RedisServer, startRedis } from "./redis-server.js";

const SLOTS = 16_384;

export interface RedisCluster {
  readonly url: string;
  readonly masters: readonly RedisServer[];
  /** The master of the key's slot. */
  readonly masterOf: (key: string) => Promise<RedisServer>;
  readonly stop: () => Promise<void>;
}

async function startNode(): Promise<RedisServer & { readonly busPort: number }> {
  const busPort = await freePort();
  const server = await startRedis([
    ...["--cluster-enabled", "yes", "--cluster-port", `${busPort}`, "--cluster-node-timeout", "1000"],
    // A replica may be promoted however long it did not hear of its master.
    ...["--cluster-replica-validity-factor", "0"],
  ]);
  return { ...server, busPort };
}

/** Three masters, each with a replica. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const nodes = await Promise.all(Array.from({ length: 6 }, startNode));
  const [masters, replicas] = [nodes.slice(0, 3), nodes.slice(3)];
  const ids = await Promise.all(
    nodes.map(async ({ client }) => String(await client.call("CLUSTER", "MYID"))),
  );
  const bounds = [0, 5461, 10_923, SLOTS];
  for (const [n, { client }] of masters.entries())
    await client.call("CLUSTER", "ADDSLOTSRANGE", `${bounds[n]}`, `${(bounds[n + 1] as number) - 1}`);
  // Else two nodes of one epoch would have to agree on another first.
  for (const [n, { client }] of nodes.entries()) await client.call("CLUSTER", "SET-CONFIG-EPOCH", `${n + 1}`);
  for (const { port, busPort } of nodes)
    await nodes[0]?.client.call("CLUSTER", "MEET", "127.0.0.1", `${port}`, `${busPort}`);
  const all = async (isSo: (server: RedisServer) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(nodes.map(isSo))).every(Boolean);
  await until("all nodes know each other", () =>
    all(async ({ client }) => {
      const known = String(await client.call("CLUSTER", "NODES"));
      return ids.every((id) => known.includes(id)) && !known.includes("handshake");
    }),
  );
  for (const [n, { client }] of replicas.entries())
    await client.call("CLUSTER", "REPLICATE", ids[n] as string);
  await until("the replicas follow", async () =>
    (await Promise.all(masters.map(({ client }) => client.info("replication")))).every((info) =>
      /state=online/.test(info),
    ),
  );
  await until("the cluster is whole", () =>
    all(async ({ client }) => {
      const info = String(await client.call("CLUSTER", "INFO"));
      return info.includes("cluster_state:ok") && info.includes(`cluster_slots_ok:${SLOTS}`);
    }),
  );
  return {
    url: `redis://${masters.map(({ port }) => `127.0.0.1:${port}`).join()}?cluster=true`,
    masters,
    masterOf: async (key) => {
      const slot = Number(await nodes[0]?.client.call("CLUSTER", "KEYSLOT", key));
      return masters[bounds.findIndex((bound) => bound > slot) - 1] as RedisServer;
    },
    stop: async () => {
      await Promise.all(nodes.map(({ stop }) => stop()));
    },
  };
}

/** A master with a replica, and a sentinel that promotes it. The master is known as "main". */
export async function startSentinel() {
  const master = await startRedis();
  const replica = await startRedis(["--replicaof", `127.0.0.1 ${master.port}`]);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "sentinel-"));
  const file = join(folder, "sentinel.conf");
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `sentinel monitor main 127.0.0.1 ${master.port} 1`,
    "sentinel down-after-milliseconds main 500",
    "sentinel failover-timeout main 3000",
  ];
  writeFileSync(file, lines.join("\n"));
  const sentinel = spawn(findProgram("redis-server") as string, [file, "--sentinel"], { stdio: "ignore" });
  const asked = master.client.duplicate({ port, retryStrategy: () => 50 });
  asked.on("error", () => {});
  await until("the sentinel knows the replica", async () => {
    const found = await asked.call("SENTINEL", "REPLICAS", "main").catch(() => []);
    return Array.isArray(found) && found.length > 0 && !JSON.stringify(found).includes("s_down");
  });
  await until("the replica follows", async () =>
    /link_status:up/.test(await replica.client.info("replication")),
  );
  return {
    ...{ url: `redis://127.0.0.1:${port}?sentinel=main`, master, replica },
    stop: async () => {
      asked.disconnect();
      const ended = new Promise((resolve) => sentinel.once("exit", resolve));
      sentinel.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}
