// CPU time of a server and its children, from the kernel's accounts.

import { readdirSync, readFileSync } from "node:fs";

/** Of a tick of the accounts, which is the same on all Linux machines. */
const TICK_MICROS = 10_000;

function accountOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may hold spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [, parent] = fields;
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
    return { parent: Number(parent), ticks: user + system + endedUser + endedSystem };
  } catch {
    return undefined;
  }
}

/** Microseconds since it began, those of children that have ended included. */
export function cpuMicrosOf(pid) {
  const accounts = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), account: accountOf(name) }))
    .filter(({ account }) => account !== undefined);
  const sum = accounts
    .filter(({ pid: each, account }) => each === pid || account.parent === pid)
    .reduce((total, { account }) => total + account.ticks, 0);
  return sum * TICK_MICROS;
}
