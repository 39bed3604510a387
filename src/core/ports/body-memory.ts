import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

import { processesOf } from "./pool-threads.js";

const MIB = 1_048_576;
/** Memory that a process takes before its first request. */
const OWN_BYTES = 32 * MIB;
const OLD_SPACE = /--max[-_]old[-_]space[-_]size[= ](\d+)/g;

export interface MemoryFacts {
  /** Memory of the machine. */
  readonly total: number;
  /** Limit of the cgroup; 0 or a number beyond the machine's memory without one. */
  readonly constrained: number;
  readonly heapLimit: number;
  /** Options of Node.js, separated by blanks. */
  readonly options: string;
}

const ownFacts = (): MemoryFacts => ({
  total: totalmem(),
  constrained: process.constrainedMemory?.() ?? 0,
  heapLimit: getHeapStatistics().heap_size_limit,
  options: [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].join(" "),
});

/**
 * Default of the bytes that bodies take in each of `workers` processes: a quarter of the memory that
 * the process may use beside its own, at least an eighth. The limits of machine and cgroup are shared
 * by all processes, that of the heap is not.
 */
export function bodyMemoryFor(workers: number | "auto", facts = ownFacts()): number {
  const { total, constrained, heapLimit, options } = facts;
  const shared = constrained > 0 ? Math.min(total, constrained) : total;
  const [, oldSpaceMib] = [...options.matchAll(OLD_SPACE)].at(-1) ?? [];
  const heap = oldSpaceMib === undefined ? heapLimit : Number(oldSpaceMib) * MIB;
  const share = shared / processesOf(workers);
  return Math.floor(Math.min(Math.max((share - OWN_BYTES) / 4, share / 8), heap / 4));
}
