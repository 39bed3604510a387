// Runs before the program of `framework dev`, and in each thread of its pool: reports the files that
// are loaded, and where a server listens, on the pipe to `framework dev`. JavaScript, because it is
// also loaded where the rest is TypeScript.

import { subscribe } from "node:diagnostics_channel";
import { readSync, writeSync } from "node:fs";
import * as modules from "node:module";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";

const PIPE = 3;
const { searchParams } = new URL(import.meta.url);

const report = (text) => writeSync(PIPE, `${text}\n`);

/** The hook of Node.js, called in a thread of its own, or by `registerHooks` where a module is loaded. */
export function load(url, context, next) {
  if (url.startsWith("file:")) report(url);
  return next(url, context);
}

/** Node.js 20 calls no hook for what `require` loads. */
function reportRequired() {
  const { prototype } = modules.Module;
  const loadFile = prototype.load;
  prototype.load = function (file) {
    report(pathToFileURL(file).href);
    return loadFile.call(this, file);
  };
}

// Other processes that the program starts inherit its environment and its options, not the pipe.
const isProgram = process.ppid === Number(searchParams.get("parent"));
if (isProgram && !searchParams.has("hooks")) {
  if (modules.registerHooks !== undefined) modules.registerHooks({ load });
  else {
    modules.register(`${import.meta.url}&hooks`);
    reportRequired();
  }
  if (isMainThread) {
    subscribe("framework.listening", ({ url }) => report(`listening ${url}`));
    // Node.js and tsx are loaded. `framework dev` writes when the previous process has ended.
    if (readSync(PIPE, Buffer.alloc(1)) === 0) process.exit();
  }
}
