// Runs test files one after the other in this process, each as a suite with its name.
// test.mjs writes an entry for each process that calls this.

import { after, describe } from "node:test";

import { recordPrograms } from "./coverage-record.mjs";
import { leftovers, processState } from "./leftovers.mjs";

const MAX_BYTES = 1024 ** 3;

let running = "";
let erring = "";

/** The file that ran at the last error outside its tests. */
export const erredIn = () => erring;

/**
 * @param files names, each with the address of its compiled module
 * @param options.limitMs for each file, and so for each test of it
 * @param options.isApart true if the process is the file's own, which may then leave behind what it likes
 */
export async function runFiles(files, options) {
  recordPrograms();
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, () => {
      erring = running;
    });
  for (const [name, url] of files) {
    running = name;
    await runFile(name, url, options);
  }
}

// The promise settles in the suite's last hook, because describe's own promise is
// settled at once by later versions of Node.js. A file is not loaded before that.
const runFile = (name, url, { limitMs, isApart }) =>
  new Promise((ended) => {
    describe(name, { timeout: limitMs }, async () => {
      const before = processState();
      try {
        await import(url);
      } catch (error) {
        ended();
        throw error;
      }
      after(async () => {
        try {
          // What is left behind must not hold the process; its records are written by then. (With
          // --test-force-exit Node.js 20 loses some.)
          if (isApart) setTimeout(() => process.exit(), 250).unref();
          else await requireClean(before);
        } finally {
          ended();
        }
      });
    });
  });

async function requireClean(before) {
  const left = await leftovers(before);
  if (left.length > 0)
    throw new Error(
      `It leaves behind ${left.join(", ")}: end or undo it in the test, or list the file in APART_FILES of scripts/tests/plan.mjs`,
    );
  const bytes = process.memoryUsage.rss();
  if (bytes > MAX_BYTES)
    throw new Error(
      `The process holds ${Math.round(bytes / 1024 ** 2)} MiB after this file: at most ${MAX_BYTES / 1024 ** 2} are allowed, see FILES_A_PROCESS in scripts/tests/plan.mjs`,
    );
}
