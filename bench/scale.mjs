// `node bench/scale.mjs`: what a call costs each store that several processes share, and how many
// machines a store serves.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { commandLine } from "../scripts/command-line.mjs";
import { start, stop, written } from "./measure/children.mjs";
import { sqliteDatabase } from "./measure/kept-runs.mjs";
import { load } from "./measure/load.mjs";
import { median } from "./measure/median.mjs";
import { buildInternals, buildPackage } from "./prepare.mjs";
import { between } from "./report/markdown.mjs";
import { root } from "./root.mjs";
import { chart } from "./scale/chart.mjs";
import { cpuMicrosOf } from "./scale/cpu-time.mjs";

const HELP = `node bench/scale.mjs [options]

Builds the package, starts a Redis and a PostgreSQL server, and prints for each store and call: calls
a second of one process with 50 at once, the ratio to memory, and the CPU time of a call in this
process and in the server. A server's limit is what that time leaves room for: one core of Redis, four of
PostgreSQL.

  --rounds N    rounds of each call (5), stores in turn
  --seconds N   length of a round (2)
  --short       1 round of 0.3 s: shows that all works, not how fast
  --write       writes the table and the drawing into docs/scaling.md and docs/scaling.svg
  --help        this text`;

const OPTIONS = {
  rounds: { type: "string" },
  seconds: { type: "string" },
  short: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
};

const { rounds, seconds, write } = commandLine(HELP, { options: OPTIONS }, ({ values }) => ({
  rounds: values.short ? 1 : Number(values.rounds ?? 5),
  seconds: values.short ? 0.3 : Number(values.seconds ?? 2),
  write: values.write,
}));

const POSTGRES_CORES = 4;
const MACHINES = 32;
const READY_MS = 60_000;
const PLAIN_PORT = 3461;

const CALLS = [
  { call: "decision", title: "rate decision", unit: "decisions" },
  {
    call: "decision-chunk-10",
    title: "rate decision, `chunk: 10`",
    unit: "decisions",
    only: ["Redis", "PostgreSQL"],
  },
  { call: "session", title: "session looked up", unit: "look-ups" },
  { call: "key", title: "idempotency key claimed and answer kept", unit: "keys" },
  { call: "run", title: "kept run of three steps", unit: "runs", but: ["Redis"] },
  { call: "message", title: "room message to another process", unit: "messages", only: ["memory", "Redis"] },
];

buildPackage();
buildInternals();
const { startPostgres, startRedis } = await import(join(root, "bench/.build/internals.js"));
const [postgres, redis, sqlite] = await Promise.all([startPostgres([]), startRedis(), sqliteDatabase()]);
const stores = [
  { name: "memory", at: { sql: "memory:" }, cores: 0, cpu: () => 0 },
  { name: "SQLite", at: { sql: sqlite.url, rates: "sql" }, cores: 0, cpu: () => 0 },
  {
    name: "PostgreSQL",
    at: { sql: postgres.url, rates: "sql" },
    cores: POSTGRES_CORES,
    cpu: () => cpuMicrosOf(postgres.process.pid),
  },
  {
    name: "Redis",
    at: { sql: "memory:", redis: redis.url },
    cores: 1,
    cpu: () => cpuMicrosOf(redis.process().pid),
  },
];

try {
  const rows = [];
  for (const each of CALLS) rows.push(await rowOf(each));
  const plainMicros = await requestMicros();
  const text = tableOf(rows, plainMicros);
  process.stdout.write(`${text}\n`);
  const drawing = chart(linesOf(rows, plainMicros), MACHINES);
  if (write) {
    const page = join(root, "docs/scaling.md");
    writeFileSync(page, between(readFileSync(page, "utf8"), "limits", text));
    writeFileSync(join(root, "docs/scaling.svg"), drawing);
  }
} finally {
  await Promise.all([postgres.stop(), redis.stop(), sqlite.close()]);
}
process.exit();

/** Rounds of all stores in turn: what else this machine does meets each of them. */
async function rowOf({ call, title, unit, only, but = [] }) {
  const takers = stores.filter(({ name }) => (only?.includes(name) ?? true) && !but.includes(name));
  const processes = takers.map(({ at }) => asked(call, at));
  const found = takers.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, { cpu, name }] of takers.entries()) {
      process.stderr.write(`${call}: ${name}, round ${round + 1} of ${rounds}\n`);
      const before = cpu();
      const { calls, rate, ownMicros } = await (await processes[at]).measure();
      found[at].push({ rate, ownMicros, storeMicros: (cpu() - before) / calls });
    }
  for (const each of processes) await (await each).close();
  const cells = takers.map(({ name, cores }, at) => {
    const of = (field) => median(found[at].map((measured) => measured[field]));
    const storeMicros = of("storeMicros");
    return {
      store: name,
      rate: of("rate"),
      ownMicros: of("ownMicros"),
      storeMicros,
      limit: cores === 0 || storeMicros === 0 ? undefined : (cores * 1e6) / storeMicros,
    };
  });
  return { call, title, unit, cells };
}

async function asked(call, addresses) {
  const args = [join(root, "bench/runs/shared.mjs"), JSON.stringify(addresses), call];
  const child = start(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  await written(child, "ready", READY_MS);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async measure() {
      child.stdin.write(`${seconds}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${call} ended\n${child.output.stderr}`);
      return JSON.parse(value);
    },
    close: () => stop(child),
  };
}

/** CPU time of a server for a small request that shares nothing. */
async function requestMicros() {
  const child = start(process.execPath, [join(root, "bench/servers/small-ours.mjs"), String(PLAIN_PORT)]);
  await written(child, "READY", READY_MS);
  const figures = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = cpuMicrosOf(child.pid);
    const requests = await load(PLAIN_PORT, { path: "/total?net=100" }, Math.max(1, seconds));
    figures.push((cpuMicrosOf(child.pid) - before) / requests);
  }
  await stop(child);
  return median(figures);
}

function tableOf(rows, plainMicros) {
  const lines = rows.flatMap(({ title, unit, cells }) => {
    const [memory] = cells.filter(({ store }) => store === "memory");
    return cells.map(({ store, rate, ownMicros, storeMicros, limit }) =>
      [
        store === cells[0].store ? `${title} (${unit}/s)` : "",
        ...[store, shown(rate), memory === undefined ? "" : `1/${shown(memory.rate / rate)}`],
        ...[ownMicros.toFixed(1), storeMicros === 0 ? "" : storeMicros.toFixed(1)],
        limit === undefined ? "" : shown(limit),
      ].join(" | "),
    );
  });
  return [
    "| what | store | a second, one process | ratio to memory | CPU here, µs | CPU of the server, µs | limit of the server, a second |",
    "|---|---|--:|--:|--:|--:|--:|",
    ...lines.map((line) => `| ${line} |`),
    "",
    `A small request that shares nothing costs ${plainMicros.toFixed(1)} µs. Medians of ${rounds} rounds of ${seconds} s, 50 calls at once. A limit is one core of Redis and ${POSTGRES_CORES} of PostgreSQL.`,
  ].join("\n");
}

function linesOf(rows, plainMicros) {
  const cellOf = (call, store) =>
    rows.find((row) => row.call === call).cells.find((cell) => cell.store === store);
  const line = (name, cores, ...cells) => ({
    name,
    machine: 1e6 / cells.reduce((sum, { ownMicros }) => sum + ownMicros, plainMicros),
    limit: (cores * 1e6) / cells.reduce((sum, { storeMicros }) => sum + storeMicros, 0),
  });
  return [
    line("rates in Redis, chunk: 10", 1, cellOf("decision-chunk-10", "Redis")),
    line("rates in Redis", 1, cellOf("decision", "Redis")),
    line("rates and sessions in Redis", 1, cellOf("decision", "Redis"), cellOf("session", "Redis")),
    line("keys in Redis", 1, cellOf("key", "Redis")),
    line("rates in PostgreSQL, 4 cores", POSTGRES_CORES, cellOf("decision", "PostgreSQL")),
    line("kept runs in PostgreSQL, 4 cores", POSTGRES_CORES, cellOf("run", "PostgreSQL")),
  ];
}

/** Three figures. */
function shown(value) {
  if (value < 10) return value.toPrecision(2);
  const scale = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 2);
  return (Math.round(value / scale) * scale).toLocaleString("en").replaceAll(",", " ");
}
