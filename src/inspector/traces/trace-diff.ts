// Two runs side by side, and the first difference between them.

import type { Static } from "@sinclair/typebox";

import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import type { Data, Given } from "../api/shapes.js";
import type { BusAccess, Trace as Kept, Payload, TraceDiff } from "../api/traces.js";

type Diff = Data<typeof TraceDiff>;
type Step = Diff["steps"][number];
type Parted = NonNullable<Diff["parted"]>;
type Writes = Given<Static<typeof BusAccess>>[];
type Trace = Given<Kept>;
type TraceNode = Trace["nodes"][number];

/** Beyond it, nodes are compared place by place. */
const MAX_COMPARED = 250_000;
const MAX_SHOWN = 80;

/** Hashes of different processes have different keys, and cannot be compared: pass `hashes` false. */
export function diffOf(a: Trace, b: Trace, { hashes = true } = {}): Diff {
  const isOther = hashes ? isOtherValue : isOtherShown;
  const writesOf = { a: writesByNode(a), b: writesByNode(b) };
  let parted: Parted | null = null;
  const steps = aligned(a.nodes, b.nodes).map((pair, at): Step => {
    const difference = differenceOf(pair, writesOf, isOther);
    if (difference !== undefined) parted ??= { at, ...difference };
    return { ...pair, is_same: difference === undefined };
  });
  return { a: a.run, b: b.run, parted: parted ?? endsApart(a, b, steps.length), steps };
}

type Pair = Pick<Step, "a" | "b">;
type Difference = Omit<Parted, "at">;

/** Pairs the same nodes, as many as possible without changing the order of either run. */
function aligned(a: readonly TraceNode[], b: readonly TraceNode[]): readonly Pair[] {
  if (a.length * b.length > MAX_COMPARED)
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => pairOf(a[at], b[at])).flatMap(
      ({ a, b }) =>
        a?.node === b?.node || a === null || b === null ? [{ a, b }] : [pairOf(a), pairOf(undefined, b)],
    );
  const common = commonLengths(a, b);
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const isSame = i < a.length && j < b.length && a[i]?.node === b[j]?.node;
    if (isSame) pairs.push(pairOf(a[i++], b[j++]));
    else if (j === b.length || (i < a.length && common(i + 1, j) >= common(i, j + 1)))
      pairs.push(pairOf(a[i++]));
    else pairs.push(pairOf(undefined, b[j++]));
  }
  return pairs;
}

const pairOf = (a?: TraceNode, b?: TraceNode): Pair => ({ a: a ?? null, b: b ?? null });

/** How many nodes the two have in common from a place in each on. */
function commonLengths(a: readonly TraceNode[], b: readonly TraceNode[]): (i: number, j: number) => number {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i]?.node === b[j]?.node ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}

type WritesOf = { readonly a: Map<string, Writes>; readonly b: Map<string, Writes> };

/** What differs first, in the order in which it happens. */
function differenceOf({ a, b }: Pair, writesOf: WritesOf, isOther: IsOther): Difference | undefined {
  if (a === null || b === null) {
    const [who, label] = a === null ? ["b", b?.label] : ["a", a.label];
    return { what: "node", detail: `${who} alone entered '${label}'` };
  }
  const differ = (what: Parted["what"], one: string, other: string): Difference => ({
    what,
    detail: `'${a.label}': ${one} in a, ${other} in b`,
  });
  if (isOther(a.input, b.input)) return differ("input", `got ${shown(a.input)}`, shown(b.input));
  if (a.retries.length !== b.retries.length)
    return differ("retries", `tried ${a.retries.length + 1} times`, `${b.retries.length + 1}`);
  const written = otherWrite(writesOf.a.get(a.node) ?? [], writesOf.b.get(b.node) ?? [], isOther);
  if (written !== undefined) return differ("bus", ...written);
  if (a.outcome !== b.outcome) return differ("outcome", `ended in ${a.outcome}`, b.outcome);
  if (a.target !== b.target) return differ("target", `went on with '${a.target}'`, `'${b.target}'`);
  if (isOther(a.output, b.output)) return differ("output", `answered ${shown(a.output)}`, shown(b.output));
  return undefined;
}

/** True if two captured values differ. */
type IsOther = (one: Payload, other: Payload) => boolean;

const isOtherValue: IsOther = (one, other) =>
  one.kind === "hash" && other.kind === "hash" ? one.hash !== other.hash : isOtherShown(one, other);

function isOtherShown(one: Payload, other: Payload): boolean {
  if (one.kind !== "full" || other.kind !== "full") return false;
  return canonicalJson(one.value as Json) !== canonicalJson(other.value as Json);
}

function shown(payload: Payload): string {
  if (payload.kind !== "full") return "another value";
  const text = JSON.stringify(payload.value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}...`;
}

const writesByNode = ({ bus }: Trace): Map<string, Writes> => {
  const writes = new Map<string, Writes>();
  for (const access of bus) {
    if (access.access === "read") continue;
    writes.set(access.node, [...(writes.get(access.node) ?? []), access]);
  }
  return writes;
};

function otherWrite(one: Writes, other: Writes, isOther: IsOther): readonly [string, string] | undefined {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [a, b] = [one[at], other[at]];
    if (a?.key !== b?.key || a?.access !== b?.access) return [wrote(a), wrote(b)];
    if (a !== undefined && b !== undefined && isOther(a.value, b.value))
      return [`${wrote(a)} as ${shown(a.value)}`, shown(b.value)];
  }
  return undefined;
}

const wrote = (access: Writes[number] | undefined): string =>
  access === undefined
    ? "wrote nothing more"
    : `${access.access === "write" ? "wrote" : "deleted"} '${access.key}'`;

/** Of runs of the same nodes that end differently. */
function endsApart({ run: a }: Trace, { run: b }: Trace, at: number): Parted | null {
  if (a.status !== b.status) return { at, what: "end", detail: `a was ${a.status}, b was ${b.status}` };
  const [one, other] = [a.fault, b.fault];
  if (one?.code === other?.code && one?.status === other?.status) return null;
  return { at, what: "end", detail: `a ended with '${one?.title}', b with '${other?.title}'` };
}
