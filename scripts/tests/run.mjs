// Runs lists of test files, each list in a process, several processes at once, and gathers
// the records of records.mjs. Not under `node --test`, which starts a second process for each.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

import { COMPILED, compiledPath, ON_BUNDLE } from "./layout.mjs";

const beside = (name) => new URL(name, import.meta.url).href;

/** How long after its limit a file may still report its end. */
const END_MS = 10_000;

/** Lines of the output of a process that ended by itself. */
const WRITTEN_LINES = 20;

/**
 * Resolves to the records of what ended, failed and was skipped, and how many tests passed.
 *
 * @param processes the files of each, and whether its one file runs apart
 * @param options.concurrency how many processes at once
 * @param options.limitMs for each file
 * @param options.env of the processes
 * @param options.onFile is given the record of each file that ended, and the output of its process since the one before
 */
export async function run(processes, { concurrency, ...options }) {
  const folder = join(COMPILED, `run-${process.pid}`);
  const clean = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clean);
  mkdirSync(folder, { recursive: true });
  const waiting = [...processes.entries()];
  const records = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, planned] = next;
      records.push(...(await runProcess(planned, join(folder, `${at}.mjs`), options)));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  clean();
  process.off("exit", clean);
  const of = (kind) => records.filter((record) => record.kind === kind);
  return { files: of("file"), failed: of("failed"), skipped: of("skipped"), passed: of("passed").length };
}

/** The coverage of a process and of the programs that it starts has a folder named after its first file. */
const coverageIn = ({ NODE_V8_COVERAGE: all }, [file]) =>
  all && { NODE_V8_COVERAGE: join(all, encodeURIComponent(file)) };

/** Where a file ends the process, those behind it go on in another one. */
async function runProcess(planned, entry, options) {
  const { files, isApart, isOnBundle } = planned;
  const { limitMs, env, onFile } = options;
  writeEntry(entry, files, { limitMs, isApart });
  const node = [
    "--enable-source-maps",
    ...(isOnBundle ? [`--conditions=${ON_BUNDLE}`] : []),
    `--test-reporter=${beside("records.mjs")}`,
    "--test-reporter-destination=stdout",
    entry,
  ];
  let began = performance.now();
  const child = spawn(process.execPath, node, {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // The first is what tells a program that it is being tested.
    env: { ...env, NODE_TEST_CONTEXT: "shared", ...coverageIn(env, files) },
  });
  const exited = once(child, "close");
  let written = "";
  for (const output of [child.stdout, child.stderr])
    output.setEncoding("utf8").on("data", (text) => {
      written += text;
    });
  // A test that blocks the process is not ended by its own limit.
  const end = () => child.kill("SIGKILL");
  const endMs = limitMs + END_MS;
  const records = [];
  let limit = setTimeout(end, endMs);
  for await (const text of createInterface({ input: child.stdio[3] })) {
    const record = JSON.parse(text);
    if (record.kind === "file") {
      clearTimeout(limit);
      limit = setTimeout(end, endMs);
      // A suite's own duration lacks the time to load it.
      record.ms = performance.now() - began;
      began = performance.now();
      onFile(record, written);
      written = "";
    }
    records.push(record);
  }
  const [code, signal] = await exited;
  clearTimeout(limit);
  const ended = new Set(records.filter(({ kind }) => kind === "file").map(({ file }) => file));
  const [culprit, ...others] = files.filter((file) => !ended.has(file));
  if (culprit === undefined) {
    if (code === 0 || records.some(({ kind }) => kind === "failed")) return records;
    throw new Error(
      `A process of tests ended with ${signal ?? code}, and no test of it failed: ${files.join(", ")}\n${lastLines(written)}`,
    );
  }
  onFile({ file: culprit, passed: false, ms: performance.now() - began }, written);
  records.push({
    kind: "failed",
    file: culprit,
    name: "the file itself",
    at: culprit,
    about: [`It ended its process: ${signal ?? code}`, lastLines(written)],
  });
  return others.length === 0
    ? records
    : [...records, ...(await runProcess({ ...planned, files: others }, entry, options))];
}

const lastLines = (written) => written.trimEnd().split("\n").slice(-WRITTEN_LINES).join("\n");

function writeEntry(entry, files, options) {
  const modules = files.map((file) => [file, pathToFileURL(compiledPath(file)).href]);
  const lines = [
    `import { runFiles } from ${JSON.stringify(beside("one-process.mjs"))};`,
    `await runFiles(${JSON.stringify(modules)}, ${JSON.stringify(options)});`,
  ];
  writeFileSync(entry, `${lines.join("\n")}\n`);
}
