// A test reporter: a line of JSON for each file that ended and for each test, written to a pipe
// of its own. run.mjs reads them as they come.

import { writeSync } from "node:fs";
import { relative } from "node:path";

import { erredIn } from "./one-process.mjs";

/** The pipe that run.mjs reads. Standard output belongs to the tests. */
const RECORDS = 3;

/** Lines of an error and of its stack. */
const MESSAGE_LINES = 25;
const STACK_LINES = 4;

export default async function* report(events) {
  // Tests that files share, as contracts are, stand elsewhere: they belong to the open suite.
  let file = "";
  for await (const { type, data } of events) {
    if (type === "test:start" && data.nesting === 0) file = data.name;
    const record = type === "test:diagnostic" ? strayRecord(data) : testRecord(type, data, file);
    if (record !== undefined) writeSync(RECORDS, `${JSON.stringify(record)}\n`);
  }
  yield "";
}

function testRecord(type, data, file) {
  const { name, details, nesting, skip } = data;
  const isSuite = details?.type === "suite";
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

/**
 * What a test left behind and failed after it had ended. Node.js tells of it as a line of text at the end of
 * the process, with the place of the test where it knows it: otherwise it belongs to the file that ran.
 */
function strayRecord({ message }) {
  if (!/ generated asynchronous activity after /.test(message)) return undefined;
  const [at = "", file = erredIn()] = / at ((\S+):\d+:\d+) generated /.exec(message)?.slice(1) ?? [];
  return { kind: "failed", file, name: "an error after its test had ended", at, about: [message] };
}

const shown = (file) => (file === undefined ? "" : relative(".", file));

function explain({ cause, message }) {
  const [text, stack] =
    cause instanceof Error ? [cause.message, cause.stack ?? ""] : [String(cause ?? message), ""];
  const frames = stack.split("\n").filter((at) => /^ {4}at /.test(at));
  return [...text.split("\n").slice(0, MESSAGE_LINES), ...frames.slice(0, STACK_LINES)];
}
