import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import type { Fault } from "#core/bus/outcome.js";
import { nodeCodes } from "#core/error-codes.js";
import { type NodeFault, nodeFault } from "../faults.js";

const TO_A_PROTOTYPE = new Set(["__proto__", "constructor", "prototype"]);

/** Maximum depth: untrusted objects may be nested as deep as their text is long. */
const MAX_DEPTH = 64;

export interface MergeOptions<Deep extends boolean> {
  /** Whether nested objects are merged too. Default false: the patch's properties replace. */
  readonly deep?: Deep;
}

// If the patch may omit a property, its value can come from either side.
type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

type Flat<T> = { [K in keyof T]: T[K] };

type Merged<Under, Over> = Flat<
  Omit<Under, keyof Over> &
    Omit<Over, keyof Under & OptionalKey<Over>> & {
      [K in keyof Under & OptionalKey<Over>]: Under[K] | Required<Over>[K];
    }
>;

type MergedDeep<Under, Over> = Flat<
  Omit<Under, keyof Over> &
    Omit<Over, keyof Under> & {
      [K in keyof Under & keyof Over]: K extends OptionalKey<Over>
        ? Under[K] | Value<Under[K], Required<Over>[K]>
        : Value<Under[K], Over[K]>;
    }
>;

/** Types that are replaced as a whole. So are instances of other classes, which types cannot tell from plain objects. */
type Whole =
  | readonly unknown[]
  | ((...args: never) => unknown)
  | Date
  | RegExp
  | Error
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;

type Value<Under, Over> = Over extends Whole
  ? Over
  : Under extends Whole
    ? Over
    : Over extends object
      ? Under extends object
        ? MergedDeep<Under, Over>
        : Over
      : Over;

type Answer<In, Patch, Deep> = Deep extends true
  ? MergedDeep<In, Patch> | Fault<NodeFault<"MERGE_TOO_DEEP">>
  : Merged<In, Patch>;

/**
 * Returns a new object: the input overwritten by the result of `patch`. Copies only own, enumerable,
 * named properties, and none that lead to a prototype. Deep merging recurses into objects that are
 * plain on both sides. A list, a Date or an instance replaces the old value. Objects of one side
 * only are shared, not copied.
 */
export class MergeNode<In extends object, Patch extends object, const Deep extends boolean = false> {
  readonly name = "MergeNode";
  readonly responses: readonly DeclaredResponse[];
  readonly description: string;
  readonly #patch: (input: In) => Patch;
  readonly #deep: boolean;

  constructor(patch: (input: In) => Patch, options: MergeOptions<Deep> = {}) {
    this.#patch = patch;
    this.#deep = options.deep ?? false;
    this.responses = this.#deep ? declaredOf(nodeCodes, "MERGE_TOO_DEEP") : [];
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

/** Undefined if objects are nested deeper than `levels`. */
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
