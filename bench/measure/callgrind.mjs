// What a request costs a server, in instructions and in cache lines that were not there: a
// figure that noise does not move. Of user space, by callgrind (`apt-get install valgrind`).

import { readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { root } from "../root.mjs";
import { atExit } from "./at-exit.mjs";
import { outputOf, start, stop, written } from "./children.mjs";
import { freePort } from "./server.mjs";

const CONNECTIONS = 16;
const START_TIMEOUT_MS = 120_000;
const STILL_TIME = fileURLToPath(new URL("still-time.mjs", import.meta.url));
const CALLGRIND = ["--tool=callgrind", "--cache-sim=yes", "--dump-instr=yes", "--compress-pos=no"];
const QUIET = ["--compress-strings=no", "--smc-check=all-non-file", "--instr-atstart=no"];
// What it would be slower with, and what the collector would do on other cores.
const NODE = ["--perf-basic-prof", "--single-threaded-gc", "--import", STILL_TIME];

/** What collects and compiles comes in bursts: it is told apart, and left out of `total`. */
const KINDS = [
  ["collector", /Scaveng|MarkCompact|Sweep|Evacu|Marking|GlobalHandles/],
  ["compiler", /v8::internal::(compiler|baseline|maglev|interpreter)::/],
  ["compiled", /^(JS|RegExp|Builtins_)/],
];

/** Counts `requests` of a suite's arm, behind `warm` others that are not. */
export async function countInstructions(suite, arm, { warm, requests }) {
  const port = await freePort();
  const file = join(tmpdir(), `framework-callgrind-${process.pid}-${port}`);
  const server = [process.execPath, ...NODE, join(root, "bench/servers", arm.server), String(port)];
  const options = suite.discardsOutput === true ? { stdio: ["ignore", "ignore", "pipe"] } : {};
  const command = [...CALLGRIND, ...QUIET, `--callgrind-out-file=${file}`, ...server, ...(arm.args ?? [])];
  const child = start("valgrind", command, options);
  const map = `/tmp/perf-${child.pid}.map`;
  const clean = () => {
    for (const made of [file, `${file}.1`, map]) rmSync(made, { force: true });
  };
  const done = atExit(clean);
  try {
    await written(child, "READY", START_TIMEOUT_MS);
    const send = await sender(port, { ...suite.request, ...arm.request });
    await send(warm);
    const control = (...args) => outputOf("callgrind_control", [...args, String(child.pid)]);
    await control("--instr=on");
    await control("--zero");
    await send(requests);
    await control("--dump");
    return summed(readFileSync(`${file}.1`, "utf8"), namesIn(readFileSync(map, "utf8")), requests);
  } finally {
    await stop(child);
    clean();
    done();
  }
}

/** Answers what sends so many requests, over some connections, each when the one before it is answered. */
async function sender(port, { path, body = "", headers = {} }) {
  const type = body === "" ? {} : { "content-type": "application/json" };
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...type, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = body === "" ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  const request = `${body === "" ? "GET" : "POST"} ${path} HTTP/1.1\r\n${head}${length}\r\n${body}`;
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => connected(port)));
  return (total) =>
    new Promise((resolve, reject) => {
      let [sent, answered] = [0, 0];
      const next = (socket) => {
        if (sent >= total) return;
        sent += 1;
        socket.write(request);
      };
      for (const socket of sockets) {
        socket.removeAllListeners("data");
        socket.on("data", (data) => {
          const status = /^HTTP\/1\.1 (\d+)/.exec(data.toString("latin1"))?.[1];
          // An answer's body may come in a piece of its own.
          if (status === undefined) return;
          if (status !== "200") reject(new Error(data.toString("latin1")));
          answered += 1;
          if (answered === total) resolve();
          else next(socket);
        });
        next(socket);
      }
    });
}

const connected = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });

/** The functions that V8 has compiled, as it lists them for perf: what was written last at a place is there. */
function namesIn(map) {
  const places = map
    .split("\n")
    .map((line) => /^([0-9a-f]+) ([0-9a-f]+) (.*)$/.exec(line))
    .filter((found) => found !== null)
    .map(([, begin, size, name], nth) => ({
      begin: parseInt(begin, 16),
      size: parseInt(size, 16),
      name,
      nth,
    }))
    .sort((a, b) => a.begin - b.begin || a.nth - b.nth);
  return (address) => {
    let [from, to] = [0, places.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (places[middle].begin <= address) from = middle + 1;
      else to = middle;
    }
    const around = places
      .slice(Math.max(0, from - 40), from)
      .filter(({ begin, size }) => address < begin + size);
    return around.sort((a, b) => b.nth - a.nth)[0]?.name;
  };
}

/** By kind and by function, a request. */
function summed(dump, nameAt, requests) {
  const events = /^events: (.*)$/m.exec(dump)[1].trim().split(" ");
  const functions = new Map();
  let [name, isCall] = ["", false];
  for (const line of dump.split("\n")) {
    if (line.startsWith("fn=")) name = line.slice(3);
    else if (line.startsWith("calls=")) isCall = true;
    else if (line.startsWith("0x")) {
      // The line behind a call has what was spent in there.
      if (!isCall) add(functions, name, line.split(" "), nameAt);
      isCall = false;
    }
  }
  const of = (counts, ...wanted) =>
    wanted.reduce((sum, event) => sum + (counts[events.indexOf(event)] ?? 0), 0) / requests;
  const rows = [...functions].map(([what, counts]) => ({
    name: what,
    kind: KINDS.find(([, pattern]) => pattern.test(what))?.[0] ?? "native",
    instructions: of(counts, "Ir"),
    codeMisses: of(counts, "I1mr"),
    dataMisses: of(counts, "D1mr", "D1mw"),
  }));
  return rows.sort((a, b) => b.instructions - a.instructions);
}

function add(functions, name, [address, , ...costs], nameAt) {
  // Code that V8 has made is none of any file.
  const isMade = name === "" || name.includes("???") || name.startsWith("0x");
  const whose = isMade ? (nameAt(parseInt(address, 16)) ?? "(others)") : name;
  const counts = functions.get(whose) ?? [];
  costs.forEach((cost, at) => {
    counts[at] = (counts[at] ?? 0) + Number(cost);
  });
  functions.set(whose, counts);
}
