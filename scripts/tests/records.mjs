// A test reporter: a line of JSON for each file that ended, for each test and each output.
// run.mjs reads them as they come.

import { relative } from "node:path";

/** Lines of an error and of its stack. */
const MESSAGE_LINES = 25;
const STACK_LINES = 4;

export default async function* report(events) {
  // Tests that files share, as contracts are, stand elsewhere: they belong to the open suite.
  let file = "";
  for await (const { type, data } of events) {
    // Outputs and ends of a process, whose name is that of its entry.
    const isProcess = data.name !== undefined && data.name === data.file;
    if (type === "test:start" && data.nesting === 0 && !isProcess) file = data.name;
    const record = isProcess ? processRecord(type, data) : testRecord(type, data, file);
    if (record !== undefined) yield `${JSON.stringify(record)}\n`;
  }
}

function processRecord(type, { details }) {
  if (type !== "test:fail") return undefined;
  const { exitCode, signal } = details.error;
  return { kind: "ended", about: `It ended with ${signal ?? exitCode ?? details.error.message}` };
}

function testRecord(type, data, file) {
  const { name, details, nesting, skip } = data;
  const isSuite = details?.type === "suite";
  if (type === "test:stdout" || type === "test:stderr") return { kind: "output", text: data.message };
  if (type === "test:complete" && isSuite && nesting === 0)
    return { kind: "file", file: name, passed: details.passed };
  if (type === "test:pass" && !isSuite)
    return skip === undefined
      ? { kind: "passed", file }
      : { kind: "skipped", file, name, why: skip || "skipped" };
  if (type !== "test:fail" || details.error.failureType === "subtestsFailed") return undefined;
  const at = `${shown(data.file)}:${data.line}`;
  return {
    kind: "failed",
    file,
    name: name === file ? "the file itself" : name,
    at,
    about: explain(details.error),
  };
}

const shown = (file) => (file === undefined ? "" : relative(".", file));

function explain({ cause, message }) {
  const [text, stack] =
    cause instanceof Error ? [cause.message, cause.stack ?? ""] : [String(cause ?? message), ""];
  const frames = stack.split("\n").filter((at) => /^ {4}at /.test(at));
  return [...text.split("\n").slice(0, MESSAGE_LINES), ...frames.slice(0, STACK_LINES)];
}
