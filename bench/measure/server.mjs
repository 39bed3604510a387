// Suites that load a server: pinned to the first core, the generator to the second.
// The figure is requests per second of CPU time that the server used (user and
// system), because the wall clock also counts what the machine's neighbours took.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { root as here } from "../root.mjs";
import { start, stop, written } from "./children.mjs";
import { load } from "./load.mjs";

const SERVER_CORE = "0";
const START_TIMEOUT_MS = 60_000;
/** What a server logs goes where it costs least; that it listens is told on stderr. */
const DISCARDED = { stdio: ["ignore", "ignore", "pipe"] };
// What /proc counts in, on every Linux that Node.js runs on.
const TICKS_PER_SECOND = 100;

/**
 * A suite of servers. `request` is what they are sent, `answer` what they must
 * answer; an arm's `server` is a file in bench/servers, or its `command` starts what is no program of
 * ours; its `request` is what differs. `nodeFlags` are those of our programs' Node.js.
 * Where lower is better the figure is microseconds of CPU a request.
 */
export const serverSuite = (suite) => ({
  unit: "requests per CPU second",
  better: "higher",
  more: ["requestsPerSecond", "cpu"],
  // As long as a slice may be beside a machine that changes its speed every few seconds.
  seconds: 2,
  ...suite,
  open: (arm, options) => open(suite, arm, options),
});

async function open(suite, arm, { root = here, seconds }) {
  const request = { pipelined: 1, ...suite.request, ...arm.request };
  const answer = { ...suite.answer, ...arm.answer };
  const port = await freePort();
  const command = ["-c", SERVER_CORE, ...commandOf(arm, port, root, suite.nodeFlags)];
  const server = start("taskset", command, suite.discardsOutput === true ? DISCARDED : {});
  if (arm.command === undefined) await written(server, "READY", START_TIMEOUT_MS);
  else await listening(server, port);
  await check(port, request, answer);
  await load(port, request, seconds);
  return {
    async measure() {
      await check(port, request, answer);
      const cpuBefore = cpuSeconds(server.pid);
      const began = performance.now();
      const requests = await load(port, request, seconds);
      const wall = (performance.now() - began) / 1000;
      const cpu = cpuSeconds(server.pid) - cpuBefore;
      const figure = suite.better === "lower" ? (cpu / requests) * 1e6 : requests / cpu;
      return { figure, requestsPerSecond: requests / wall, cpu: cpu / wall };
    },
    close: () => stop(server),
  };
}

/** Of a server that is no program of ours the arm itself says how it is started. */
function commandOf({ command, server, args = [] }, port, root, flags = []) {
  if (command !== undefined) return command(port);
  const file = join(root, "bench/servers", server);
  return [process.execPath, ...flags, file, String(port), ...(typeof args === "function" ? args() : args)];
}

/** Resolves once somebody listens on the port; rejects where the server ends before, or takes too long. */
async function listening(server, port) {
  const endsAt = performance.now() + START_TIMEOUT_MS;
  while (!(await answersOn(port))) {
    if (server.exitCode !== null || performance.now() > endsAt)
      throw new Error(`${server.spawnargs.join(" ")} does not listen\n${server.output.stderr}`);
    await pause(20);
  }
}

function answersOn(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** User and system time of a process so far. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Behind the name, which may hold spaces: the 14th and 15th fields of all.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** A port that nobody listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function check(port, { path, body, headers: sent = {} }, { status, type, text, json, headers = {} }) {
  const answered = await ask(port, path, body, sent);
  const shown = `${path} answered ${answered.status} ${answered.headers["content-type"]}: ${answered.text}`;
  assert.equal(answered.status, status, shown);
  assert.match(answered.headers["content-type"] ?? "", type, shown);
  for (const [name, pattern] of Object.entries(headers))
    assert.match(answered.headers[name] ?? "", pattern, `${name} of ${path}`);
  if (json !== undefined) assert.deepEqual(JSON.parse(answered.text), json, shown);
  else assert.equal(answered.text, text, shown);
}

function ask(port, path, body, sent) {
  const method = body === undefined ? "GET" : "POST";
  const headers = { ...sent, ...(body !== undefined && { "content-type": "application/json" }) };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    request.once("error", reject);
    request.end(body);
  });
}
