// Two runs side by side, and the first difference between them: of the way and the outcome before
// the data.

import type { Static } from "@sinclair/typebox";

import { type JsonDifference, jsonDifferences } from "#core/wire/json-differences.js";
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

const DATA: ReadonlySet<Parted["what"]> = new Set(["input", "output", "bus"]);

/** Hashes of different processes have different keys, and cannot be compared: pass `hashes` false. */
export function diffOf(a: Trace, b: Trace, { hashes = true } = {}): Diff {
  const writesOf = { a: writesByNode(a), b: writesByNode(b) };
  const found = aligned(a.nodes, b.nodes).map((pair) => ({
    pair,
    differs: differencesOf(pair, writesOf, hashes),
  }));
  const first = (isData: boolean): Parted | undefined =>
    found
      .flatMap(({ differs }, at) => differs.map((one) => ({ at, ...one })))
      .find(({ what, is_folded }) => DATA.has(what) === isData && !is_folded);
  const parted = first(false) ?? endsApart(a, b, found.length) ?? first(true) ?? null;
  return {
    ...{ a: a.run, b: b.run },
    parted: parted && { at: parted.at, what: parted.what, detail: parted.detail },
    steps: found.map(({ pair, differs }) => ({
      ...pair,
      is_same: differs.every(({ is_folded }) => is_folded),
      differs: differs.map(({ what, pointer, is_folded }) => ({ what, pointer, is_folded })),
    })),
  };
}

type Pair = Pick<Step, "a" | "b">;
type Difference = Step["differs"][number] & Pick<Parted, "detail">;

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

/** In the order in which they happened. */
function differencesOf({ a, b }: Pair, writesOf: WritesOf, hashes: boolean): readonly Difference[] {
  const whole = { pointer: "", is_folded: false };
  if (a === null || b === null) {
    const [who, label] = a === null ? ["b", b?.label] : ["a", a.label];
    return [{ ...whole, what: "node", detail: `${who} alone entered '${label}'` }];
  }
  const differ = (what: Difference["what"], one: string, other: string): Difference => ({
    ...{ ...whole, what, detail: `'${a.label}': ${one} in a, ${other} in b` },
  });
  const data = (what: Difference["what"], [one, other]: readonly [Payload, Payload], key = "") =>
    payloadDifferences(one, other, hashes, key).map(({ pointer, isFolded, texts: [had, has] }) => ({
      ...differ(what, `${what}${pointer && ` ${pointer}`} was ${had}`, has),
      ...{ pointer, is_folded: isFolded },
    }));
  const found = data("input", [a.input, b.input]);
  if (a.retries.length !== b.retries.length)
    found.push(differ("retries", `tried ${a.retries.length + 1} times`, `${b.retries.length + 1}`));
  const [one, other] = [writesOf.a.get(a.node) ?? [], writesOf.b.get(b.node) ?? []];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [w, v] = [one[at], other[at]];
    if (w?.key !== v?.key || w?.access !== v?.access) found.push(differ("bus", wrote(w), wrote(v)));
    else if (w !== undefined && v !== undefined) found.push(...data("bus", [w.value, v.value], w.key));
  }
  if (a.outcome !== b.outcome) found.push(differ("outcome", `ended in ${a.outcome}`, b.outcome));
  if (a.target !== b.target) found.push(differ("target", `went on with '${a.target}'`, `'${b.target}'`));
  return [...found, ...data("output", [a.output, b.output])];
}

const ANOTHER: readonly [string, string] = ["another value", "another value"];

function payloadDifferences(
  one: Payload,
  other: Payload,
  hashes: boolean,
  name: string,
): readonly JsonDifference[] {
  if (one.kind === "full" && other.kind === "full") return jsonDifferences(one.value, other.value, name);
  const isOther = hashes && one.kind === "hash" && other.kind === "hash" && one.hash !== other.hash;
  return isOther ? [{ pointer: name, isFolded: false, texts: ANOTHER }] : [];
}

const writesByNode = ({ bus }: Trace): Map<string, Writes> => {
  const writes = new Map<string, Writes>();
  for (const access of bus) {
    if (access.access === "read") continue;
    writes.set(access.node, [...(writes.get(access.node) ?? []), access]);
  }
  return writes;
};

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
