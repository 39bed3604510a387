// Loads modules one after the other and writes the functions that ran meanwhile: a module is
// loaded once in a process that test files share, and all of them depend on it.
//
// node load-time.mjs RESULT, with the paths of the modules as JSON in the standard input,
// those that others import first.

import { readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { pathToFileURL } from "node:url";

const session = new Session();
session.connect();
const post = (method, params) => {
  let answer;
  session.post(method, params, (_, value) => {
    answer = value;
  });
  return answer;
};
post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const results = [];
for (const module of JSON.parse(readFileSync(0, "utf8"))) {
  // One that cannot be loaded here is loaded by no test that shares a process.
  await import(pathToFileURL(module)).catch(() => undefined);
  results.push(post("Profiler.takePreciseCoverage").result.filter(({ url }) => url.startsWith("file:")));
}
writeFileSync(process.argv[2], JSON.stringify(results));
process.exit();
