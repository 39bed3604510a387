// Finds what a test file leaves behind in its process: files that share a process must not
// affect each other.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createRequire } from "node:module";

/** How long closing resources may take. */
const GRACE_MS = 2000;

/** The state of this process, for a later comparison. */
export const processState = () => ({ counts: counts(), values: values() });

/** Resolves to the leftovers since that state, in words, after a grace period. */
export async function leftovers(before) {
  const end = performance.now() + GRACE_MS;
  for (;;) {
    const found = differences(before, processState());
    if (found.length === 0 || performance.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function differences(before, after) {
  const more = [...after.counts].filter(([name, count]) => count > (before.counts.get(name) ?? 0));
  const names = new Set([...before.values.keys(), ...after.values.keys()]);
  const changed = [...names].filter((name) => {
    const [was, is] = [before.values.get(name), after.values.get(name)];
    return was !== LAZY && !Object.is(is, was);
  });
  return [...more.map(([name]) => name), ...changed];
}

/** State that is counted. */
function counts() {
  const resources = process.getActiveResourcesInfo().filter((name) => /^(Timeout|Immediate)$/.test(name));
  const found = new Map();
  const add = (name, count = 1) => found.set(name, (found.get(name) ?? 0) + count);
  for (const name of resources) add(name === "Timeout" ? "a timer" : "an immediate");
  // Listeners for the end of the process remove files: they stay.
  for (const name of process.eventNames().filter((name) => name !== "exit"))
    add(`a listener of process for ${String(name)}`, process.listenerCount(name));
  for (const place of listeningSockets()) add(`a server at ${place}`);
  for (const pid of childProcesses()) add(`the child process ${pid}`);
  return found;
}

/** State with one value. */
function values() {
  const found = new Map([["the working directory", process.cwd()]]);
  // The native server reads this one when it is loaded, once in a process.
  const { UWS_HTTP_MAX_HEADERS_SIZE: _, ...variables } = process.env;
  for (const [name, value] of Object.entries(variables)) found.set(`the variable ${name}`, value);
  for (const [name, object] of PATCHABLE) {
    // Symbols are how copies of the package find each other; a dash marks the engine's own.
    for (const key of Object.getOwnPropertyNames(object).filter((name) => !name.startsWith("_"))) {
      const { get, value } = Object.getOwnPropertyDescriptor(object, key);
      found.set(`a changed ${name}.${key}`, get === undefined ? value : LAZY);
    }
  }
  return found;
}

/** A getter: Node.js replaces those of globals by their values at the first use. */
const LAZY = Symbol("lazy");

const require = createRequire(import.meta.url);

/** Objects that tests may patch. */
const PATCHABLE = [
  ...[globalThis, process, console, performance, JSON, Math].map((object) => [nameOf(object), object]),
  ...[Array, Buffer, Date, Error, Function, Map, Number, Object, Promise, RegExp, Set, String].flatMap(
    (type) => [
      [type.name, type],
      [`${type.name}.prototype`, type.prototype],
    ],
  ),
  ...["crypto", "fs", "fs/promises", "http", "net", "os"].map((name) => [
    `node:${name}`,
    require(`node:${name}`),
  ]),
];

function nameOf(object) {
  return ["globalThis", "process", "console", "performance", "JSON", "Math"].find(
    (name) => globalThis[name] === object,
  );
}

/** Linux only; elsewhere none are found. The native server's sockets are no handles of Node.js. */
function listeningSockets() {
  const tables = ["tcp", "tcp6"].map((name) => read(`/proc/self/net/${name}`));
  const listening = new Map(
    tables.flatMap((text) =>
      text.split("\n").flatMap((line) => {
        const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
        return state === "0A" ? [[inode, `port ${Number.parseInt(local.split(":")[1], 16)}`]] : [];
      }),
    ),
  );
  return fileDescriptors().flatMap((target) => listening.get(/^socket:\[(\d+)\]$/.exec(target)?.[1]) ?? []);
}

function fileDescriptors() {
  try {
    return readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

const childProcesses = () => read(`/proc/self/task/${process.pid}/children`).split(" ").filter(Boolean);

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
