// Suites of kept runs: each arm is a process of its own over a database of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { root as here } from "../root.mjs";
import { start, stop, written } from "./children.mjs";

const READY_MS = 60_000;

/**
 * A suite of programs in bench/runs. `database` makes what an arm's runs are kept in: `{ url, close }`.
 * The arguments of an arm may depend on the options of the command line.
 */
export const keptRunsSuite = ({ database, ...suite }) => ({
  unit: "runs/s",
  better: "higher",
  more: ["loopP99Ms"],
  ...suite,
  open: async ({ program, args }, options) => {
    const { root = here, seconds } = options;
    const { url, close } = await database(root);
    const words = typeof args === "function" ? args(options) : args;
    const child = start(process.execPath, [join(root, "bench/runs", program), url, ...words], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    await written(child, "ready", READY_MS);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      async measure() {
        child.stdin.write(`${seconds}\n`);
        const { value } = await lines.next();
        if (value === undefined) throw new Error(`${program} ended\n${child.output.stderr}`);
        return JSON.parse(value);
      },
      async close() {
        await stop(child);
        await close();
      },
    };
  },
});

export async function sqliteDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  return {
    url: `sqlite:${join(folder, "runs.db")}`,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

let server;
let users = 0;

/** One server for all arms of a run, with fsync; a database for each. */
export async function postgresDatabase(root) {
  const { startPostgres } = await import(join(root, "bench/.build/internals.js"));
  users += 1;
  server ??= startPostgres([]);
  const { url, stop: end, makeDatabase } = await server;
  const name = `bench_${users}`;
  await makeDatabase(name);
  return {
    url: url.replace(/\/postgres$/, `/${name}`),
    async close() {
      users -= 1;
      if (users > 0) return;
      server = undefined;
      await end();
    },
  };
}
