// What piscina runs in each thread: finds a module and its export once, calls it, and answers a
// tagged result, because neither classes nor the fields of errors survive the clone. JavaScript,
// and without imports of this package: it also runs where the rest is TypeScript.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The modules that were loaded, by URL. A module that failed is not loaded again: Node.js keeps the failure. */
const modules = new Map();
let registered;

/** `--import tsx` has no effect in threads of Node.js 20: the thread registers the application's tsx itself. */
async function registerTsx(url) {
  let manifest;
  try {
    manifest = createRequire(url).resolve("tsx/package.json");
  } catch {
    if (process.features.typescript) return;
    throw new Error(`${url} is TypeScript and tsx is not installed: install tsx, or run built JavaScript`);
  }
  const tsx = await import(new URL("./dist/esm/api/index.mjs", pathToFileURL(manifest)).href);
  tsx.register();
}

/** The TypeScript source that "./work.js" means before the program is built; undefined where there is none. */
function sourceOf(url) {
  const file = fileURLToPath(url);
  if (/\.[cm]?tsx?$/.test(file)) return url;
  if (existsSync(file)) return undefined;
  const source = ["ts", "tsx"]
    .map((extension) => file.replace(/\.([cm]?)jsx?$/, `.$1${extension}`))
    .find((name) => existsSync(name));
  return source && pathToFileURL(source).href;
}

async function load(url) {
  // `framework dev` restarts the program for files that its threads have loaded, too.
  const { _FRAMEWORK_DEV: hook } = process.env;
  if (hook !== undefined) await import(hook);
  const source = sourceOf(url);
  if (source === undefined) return import(url);
  registered ??= registerTsx(source);
  await registered;
  return import(source);
}

/** The class that every copy of the framework in this thread shares; undefined before one is loaded. */
const shared = (name) => globalThis[Symbol.for(`framework.${name}.1`)];
const isA = (name, value) => {
  const known = shared(name);
  return known !== undefined && value instanceof known;
};

// An answer that cannot be cloned is thrown where piscina posts it, and ends the thread. A
// DOMException arrives at the main thread as an object without anything: an Error has its message.
process.on("uncaughtException", (error) => {
  if (error?.name !== "DataCloneError") throw error;
  throw Object.assign(new Error(error.message), { name: error.name });
});

const PRIMITIVES = new Set(["string", "number", "boolean", "bigint"]);

function thrown(error) {
  if (!(error instanceof Error)) return ["thrown", PRIMITIVES.has(typeof error) ? error : String(error)];
  const fields = {};
  for (const name of Object.keys(error)) if (PRIMITIVES.has(typeof error[name])) fields[name] = error[name];
  return ["error", error.name, error.message, error.stack, fields];
}

function refused(error) {
  const problem = typeof error?.toProblemDetail === "function" ? error.toProblemDetail() : error;
  return isA("ProblemDetail", problem) ? ["problem", { ...problem }] : ["fault", error];
}

function tagged(answer) {
  if (isA("Control", answer)) {
    if (answer.kind !== "fault") return ["unable", `it answered a ${answer.kind}`];
    const { error, mapped } = answer;
    return [...refused(error), ...(mapped ? [{ step: mapped.step, thrown: thrown(mapped.thrown) }] : [])];
  }
  if (isA("Reply", answer)) return ["unable", "it answered respond(...)"];
  return ["value", answer];
}

/** The memory of a value, where it belongs to that value alone: a Buffer may share it with others. */
function ownedBuffer(value) {
  if (value instanceof ArrayBuffer) return value;
  const isWhole = ArrayBuffer.isView(value) && value.byteLength === value.buffer.byteLength;
  return isWhole && value.buffer instanceof ArrayBuffer ? value.buffer : undefined;
}

/** Hands the memory of the answer, or of its properties, over to the main thread instead of a copy. */
async function moved(result) {
  const [kind, value] = result;
  if (kind !== "value" || typeof value !== "object" || value === null) return result;
  const parts = ArrayBuffer.isView(value) ? [value] : [value, ...Object.values(value)];
  const list = [...new Set(parts.map(ownedBuffer).filter((buffer) => buffer !== undefined))];
  if (list.length === 0) return result;
  const { move, transferableSymbol, valueSymbol } = await import("piscina");
  return move({ [transferableSymbol]: list, [valueSymbol]: result });
}

async function found(module, name) {
  let loaded = modules.get(module);
  if (loaded === undefined) {
    loaded = load(module);
    modules.set(module, loaded);
  }
  return (await loaded)[name];
}

export async function run({ module, name, input, read, moves, begun }) {
  let call;
  try {
    call = await found(module, name);
  } catch (error) {
    return ["module", ...thrown(error)];
  }
  if (typeof call !== "function") return ["export", typeof call];
  const isDropped = Atomics.compareExchange(new BigInt64Array(begun), 0, 0n, process.hrtime.bigint()) !== 0n;
  if (isDropped) return ["dropped"];
  try {
    const result = tagged(await (read === undefined ? call(input) : call(input, read)));
    return moves ? await moved(result) : result;
  } catch (error) {
    return thrown(error);
  }
}
