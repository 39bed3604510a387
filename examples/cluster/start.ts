// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/cluster/start.ts
// Starts the shop on three machines, with Redis, PostgreSQL, HAProxy and, where it is installed, Prometheus.
// Needs Debian's redis-server, postgresql and haproxy, and the packages ioredis and pg. Ctrl-C ends all of it.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { startCluster } from "./cluster.js";
import { findProgram } from "./programs.js";

const rules = fileURLToPath(new URL("../../docs/operations/alert-rules.yml", import.meta.url));
const hasPrometheus = findProgram("prometheus") !== undefined && existsSync(rules);
const starting = startCluster(hasPrometheus ? { rules } : {});

const stop = async (): Promise<void> => (await starting).stop();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());

const cluster = await starting;
const { address, hosts, redis, postgres, prometheus } = cluster;

console.log(`The shop is at http://${address}, on ${cluster.network.kind}.

${hosts.map(({ machine, address: at, inspector, pid }) => `  host ${machine.name}: http://${at}, Inspector http://${inspector}, process ${pid}`).join("\n")}
  Redis: ${redis.address}
  PostgreSQL: ${postgres.address}
  Prometheus: ${prometheus?.address ?? "not started"}

  curl http://${address}/host
  curl -i http://${address}/price
  curl -N http://${address}/levels
  curl http://${address}/levels -H 'content-type: application/json' -d '{"sku":"tea","pieces":8}'
  curl http://${address}/orders -H 'content-type: application/json' -H 'idempotency-key: "1"' -d '{"sku":"tea","pieces":3}'

Kill a host with \`kill -9\`: the others have its sessions, its rates and its orders. Ctrl-C ends all of it.`);
