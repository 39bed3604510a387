// Suites of servers that tell many clients something. The server is pinned to the first core,
// the clients to the second; the server publishes when it is told to on its input, so that
// nothing but what is compared stands between the two.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { root as here } from "../root.mjs";
import { start, stop, written } from "./children.mjs";
import { cpuSeconds, freePort } from "./server.mjs";

const CLIENTS = fileURLToPath(new URL("audience-process.mjs", import.meta.url));
const START_TIMEOUT_MS = 120_000;
const PIPED = { stdio: ["pipe", "pipe", "pipe"] };
/** After the last connection, before memory is looked at. */
const SETTLE_MS = 500;
/** Connected before the first look. */
const FIRST = 200;
const SPARE_FILES = FIRST + 200;
/** What is collected young is looked at as memory too: as little of it as there can be. */
const HEAP_FLAGS = ["--expose-gc", "--max-semi-space-size=1"];

/** That many clients, or as many as a process may have files open, with a few to spare. */
export function asManyAs(count) {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? count);
  return Math.min(count, files - SPARE_FILES);
}

/**
 * A suite of servers with `clients` of a `kind`, of which `speakers` hear nothing. They are told
 * so many `messages`, again and again, as `how` says: "burst", all in one turn of the server, or "turns",
 * each in one of its own. The figure is messages delivered per second of CPU time that the
 * server used.
 */
export const audienceSuite = (suite) => ({
  unit: "deliveries per CPU second",
  better: "higher",
  more: ["deliveriesPerSecond", "cpu"],
  ...suite,
  open: (arm, options) => openAudience(suite, arm, options),
});

/** The same servers and clients, and what one that is connected and idle takes of the server's memory. */
export const audienceMemorySuite = (suite) => ({
  unit: "bytes a client",
  better: "lower",
  more: [],
  ...suite,
  open: async (arm, { root = here }) => ({
    // A server that has had clients keeps memory for the next: each round has a new one.
    measure: async () => ({ figure: await bytesOfClient(suite, arm, root) }),
    close: async () => {},
  }),
});

async function openAudience(suite, arm, { root = here, seconds }) {
  const { server, port } = await startServer(arm, root);
  const { clients } = await startClients(suite, port);
  const { messages, how, speakers = 0 } = suite;
  const listeners = suite.clients - speakers;
  let told = 0;
  const tell = async () => {
    told += messages * listeners;
    const reached = answered(clients, told, "REACHED");
    await answered(server, `${how} ${messages}`, how);
    await reached;
  };
  const tellFor = async (ms) => {
    const endsAt = performance.now() + ms;
    const before = told;
    do await tell();
    while (performance.now() < endsAt);
    return told - before;
  };
  await tellFor(seconds * 1000);
  return {
    async measure() {
      const cpuBefore = cpuSeconds(server.pid);
      const began = performance.now();
      const deliveries = await tellFor(seconds * 1000);
      const wall = (performance.now() - began) / 1000;
      const cpu = cpuSeconds(server.pid) - cpuBefore;
      return { figure: deliveries / cpu, deliveriesPerSecond: deliveries / wall, cpu: cpu / wall };
    },
    async close() {
      await stop(clients);
      await stop(server);
    },
  };
}

async function bytesOfClient(suite, arm, root) {
  const { server, port } = await startServer(arm, root, HEAP_FLAGS);
  // What the first ones take is for all: code, buffers, and the pages of both.
  const first = await startClients({ ...suite, clients: FIRST }, port);
  const before = await residentBytes(server);
  const rest = await startClients(suite, port);
  const after = await residentBytes(server);
  for (const child of [first.clients, rest.clients, server]) await stop(child);
  return (after - before) / suite.clients;
}

async function startServer(arm, root, flags = []) {
  const port = await freePort();
  const file = join(root, "bench/servers", arm.server);
  const command = ["-c", "0", process.execPath, ...flags, file, String(port), ...(arm.args ?? [])];
  const server = start("taskset", command, PIPED);
  await written(server, "READY", START_TIMEOUT_MS);
  return { server, port };
}

async function startClients({ kind, clients: count }, port) {
  const command = ["-c", "1", process.execPath, CLIENTS, kind, String(port), String(count)];
  const clients = start("taskset", command, PIPED);
  await written(clients, "READY", START_TIMEOUT_MS);
  return { clients };
}

/** Tells a child something on its input; resolves once it has answered that. What it logs may stand before. */
function answered(child, line, answer) {
  return new Promise((resolve, reject) => {
    let text = "";
    const ended = () => reject(new Error(`${child.spawnargs.join(" ")} ended\n${child.output.stderr}`));
    const take = (data) => {
      text += data;
      if (!text.split("\n").slice(0, -1).includes(answer)) return;
      child.off("close", ended);
      child.stdout.off("data", take);
      resolve();
    };
    child.once("close", ended);
    child.stdout.on("data", take);
    child.stdin.write(`${line}\n`);
  });
}

async function residentBytes(server) {
  await pause(SETTLE_MS);
  await answered(server, "collect", "collect");
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]);
}
