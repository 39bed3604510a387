// The load generator, pinned to the second core: wrk, or autocannon where it is
// missing. An answer that is no 2xx fails the benchmark: an error is not a fast answer.

import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { atExit } from "./at-exit.mjs";
import { outputOf } from "./children.mjs";

const GENERATOR_CORE = "1";
const CONNECTIONS = 64;
const SCRIPTS = fileURLToPath(new URL(".", import.meta.url));
const AUTOCANNON = join(SCRIPTS, "../node_modules/autocannon/autocannon.js");

export const generator = spawnSync("wrk", ["--version"]).error === undefined ? "wrk" : "autocannon";

const pinned = (command, args) => outputOf("taskset", ["-c", GENERATOR_CORE, command, ...args]);

/** Loads the server for a while; answers how many requests it answered. */
export async function load(port, request, seconds) {
  const url = `http://127.0.0.1:${port}${request.path}`;
  const body = request.body === undefined ? undefined : fileOf(request.body);
  const done =
    generator === "wrk"
      ? await wrk(url, request, body, seconds)
      : await autocannon(url, request, body, seconds);
  if (done.failures > 0 || done.requests === 0) throw new Error(`${url}: ${done.text}`);
  return done.requests;
}

async function wrk(url, { pipelined, connections = CONNECTIONS, headers = {} }, body, seconds) {
  const pipelining = pipelined > 1 ? [["-s", `${SCRIPTS}pipelined.lua`], String(pipelined)] : undefined;
  const posting = body !== undefined ? [["-s", `${SCRIPTS}post.lua`], body] : undefined;
  const [script, ...given] = pipelining ?? posting ?? [[]];
  const text = await pinned("wrk", [
    "-t1",
    `-c${connections}`,
    `-d${Math.ceil(seconds)}s`,
    ...script,
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    url,
    "--",
    ...given,
  ]);
  const failures = /Non-2xx or 3xx responses: (\d+)|Socket errors: (?!connect 0, read 0, write 0, timeout 0)/;
  return {
    text,
    requests: Number(/(\d+) requests in/.exec(text)?.[1] ?? 0),
    failures: failures.test(text) ? 1 : 0,
  };
}

async function autocannon(url, { pipelined, connections = CONNECTIONS, headers = {} }, body, seconds) {
  const post = body === undefined ? [] : ["-m", "POST", "-H", "content-type=application/json", "-i", body];
  const text = await pinned(process.execPath, [
    AUTOCANNON,
    "--json",
    "--no-progress",
    "-c",
    String(connections),
    "-p",
    String(pipelined),
    "-d",
    String(Math.ceil(seconds)),
    ...post,
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]),
    url,
  ]);
  const { "2xx": requests, non2xx, errors } = JSON.parse(text);
  return { text, requests, failures: non2xx + errors };
}

/** A file with the body: neither generator takes one from the command line. */
function fileOf(body) {
  const file = join(tmpdir(), `framework-bench-${process.pid}.json`);
  if (!existsSync(file)) atExit(() => rmSync(file, { force: true }));
  writeFileSync(file, body);
  return file;
}
