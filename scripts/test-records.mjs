// A test reporter for test.mjs: a line of JSON for each file that failed, for each test
// that did, and for each that was skipped.

import { relative, resolve } from "node:path";

/** Of what an error says, of its stack, and of what a file wrote that ended by itself. */
const MESSAGE_LINES = 25;
const STACK_LINES = 4;
const WRITTEN_LINES = 20;

export default async function* report(events) {
  const files = new Set();
  const written = new Map();
  // Tests that files share, as contracts are, stand elsewhere: they come behind one of the file's own.
  let current = "";
  for await (const { type, data } of events) {
    const isFile = data.name !== undefined && data.name === data.file && data.nesting === 0;
    if (type === "test:enqueue" && isFile) files.add(data.file);
    if (type === "test:start" && files.has(data.file)) current = data.file;
    if (type === "test:stderr") written.set(data.file, (written.get(data.file) ?? "") + data.message);
    if (type === "test:complete" && isFile && data.details?.passed === false)
      yield line({ kind: "file", file: shown(data.file) });
    if (type === "test:fail" && data.details.error.failureType !== "subtestsFailed") {
      const about = isFile ? endOf(data.details.error, written.get(data.file)) : explain(data.details.error);
      const file = shown(files.has(data.file) ? data.file : current);
      const name = isFile ? "the file itself" : data.name;
      yield line({ kind: "failed", file, name, at: `${shown(data.file)}:${data.line}`, about });
    }
    if (type === "test:pass" && data.skip !== undefined)
      yield line({ kind: "skipped", name: data.name, why: data.skip || "skipped" });
  }
}

const line = (record) => `${JSON.stringify(record)}\n`;

const shown = (file) => relative(".", resolve(file));

function explain({ cause, message }) {
  const [text, stack] = cause instanceof Error ? [cause.message, cause.stack ?? ""] : [message, ""];
  const frames = stack.split("\n").filter((at) => /^ {4}at /.test(at));
  return [...text.split("\n").slice(0, MESSAGE_LINES), ...frames.slice(0, STACK_LINES)];
}

function endOf({ exitCode, signal }, text = "") {
  const lines = text.trimEnd().split("\n").slice(-WRITTEN_LINES);
  return [`It ended with ${signal ?? exitCode ?? "a failure"}`, ...lines].filter(Boolean);
}
