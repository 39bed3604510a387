// Puts one object over another into a new one.
//
//   G1. What is merged may come from outside: only own, enumerable, named properties are
//       copied, and none whose name leads to a prototype.
//   G2. Deep merging goes into plain objects on both sides alone; a list, a Date or an
//       instance of a class replaces what is there.
//   G3. Neither side is changed. An object that only one side has is shared as it is.

import type { Fault } from "#core/outcome.js";
import type { Merged, MergedDeep } from "./merge-types.js";
import { type NodeFault, nodeFault } from "./node-fault.js";

const TO_A_PROTOTYPE = new Set(["__proto__", "constructor", "prototype"]);

/** Objects from outside may be nested as deep as their text is long. */
const MAX_DEPTH = 64;

export interface MergeOptions<Deep extends boolean> {
  /** Merge the objects within the objects too. Default false: the patch's properties replace. */
  readonly deep?: Deep;
}

type Answer<In, Patch, Deep> = Deep extends true
  ? MergedDeep<In, Patch> | Fault<NodeFault<"MERGE_TOO_DEEP">>
  : Merged<In, Patch>;

/** Goes on with the input and, over it, what `patch` makes of the input. */
export class MergeNode<In extends object, Patch extends object, const Deep extends boolean = false> {
  readonly name = "MergeNode";
  readonly description: string;
  readonly #patch: (input: In) => Patch;
  readonly #deep: boolean;

  constructor(patch: (input: In) => Patch, options: MergeOptions<Deep> = {}) {
    this.#patch = patch;
    this.#deep = options.deep ?? false;
    this.description = this.#deep ? "Merges deep" : "Merges one level";
  }

  run(input: In): Answer<In, Patch, Deep> {
    const patch = this.#patch(input);
    const merged = this.#deep ? mergeDeep(input, patch, MAX_DEPTH) : copyInto(copyInto({}, input), patch);
    return (merged ?? nodeFault("MERGE_TOO_DEEP")) as Answer<In, Patch, Deep>;
  }
}

type Properties = Record<string, unknown>;

function copyInto(target: Properties, from: object): Properties {
  for (const [key, value] of safeEntries(from)) target[key] = value;
  return target;
}

/** Undefined where objects are nested deeper than `levels`. */
function mergeDeep(under: object, over: object, levels: number): Properties | undefined {
  if (levels === 0) return undefined;
  const merged = copyInto({}, under);
  for (const [key, value] of safeEntries(over)) {
    const below = merged[key];
    const inner = isPlain(below) && isPlain(value) ? mergeDeep(below, value, levels - 1) : value;
    if (inner === undefined && value !== undefined) return undefined;
    merged[key] = inner;
  }
  return merged;
}

const safeEntries = (from: object): [string, unknown][] =>
  Object.entries(from).filter(([key]) => !TO_A_PROTOTYPE.has(key));

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
