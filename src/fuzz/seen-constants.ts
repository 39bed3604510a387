// Constants of a route that decide what its steps do: those of its schemas, and those that the source of its
// steps compares values with. Functions that a step calls are not seen.

import type { TSchema } from "@sinclair/typebox";

import { writtenFunction } from "#core/flow/written-function.js";
import { type AxonDefinition, visitAxon } from "#runtime/definition/axon-definition.js";
import { partsOf } from "#schema/tree/schema-tree.js";

export interface SeenConstants {
  readonly texts: readonly string[];
  /** Each with its neighbours. */
  readonly numbers: readonly number[];
  /** Regular expressions in the source of steps. */
  readonly patterns: readonly { readonly source: string; readonly flags: string }[];
}

const MAX_SOURCE = 100_000;
const MAX_CONSTANTS = 200;
const MAX_TEXT = 256;
const MAX_DEPTH = 20;

export function seenConstants(axon: AxonDefinition, schemas: readonly TSchema[]): SeenConstants {
  const values = new Set<unknown>();
  const patterns = new Map<string, SeenConstants["patterns"][number]>();
  for (const schema of schemas) addSchema(values, schema, 0);
  const sources = new Set<string>();
  visitAxon(axon, {
    axon({ layers }) {
      for (const { layer } of layers) sources.add(sourceOf(layer.run));
    },
    step({ transition }) {
      sources.add(sourceOf(transition.run));
    },
  });
  for (const source of sources) {
    for (const literal of comparedIn(source)) values.add(literal);
    for (const pattern of patternsIn(source)) patterns.set(`${pattern.source}/${pattern.flags}`, pattern);
  }
  const all = [...values].slice(0, MAX_CONSTANTS);
  const numbers = all.filter((value) => typeof value === "number");
  return {
    texts: all.filter((value) => typeof value === "string" && value.length <= MAX_TEXT) as string[],
    numbers: [...new Set(numbers.flatMap((value) => [value, value + 1, value - 1]))],
    patterns: [...patterns.values()],
  };
}

const sourceOf = (run: (...args: never[]) => unknown): string =>
  Function.prototype.toString.call(writtenFunction(run)).slice(0, MAX_SOURCE);

function addSchema(values: Set<unknown>, schema: TSchema, depth: number): void {
  const { const: constant, enum: listed = [], examples = [], default: usual } = schema;
  for (const value of [constant, ...listed, ...examples, usual]) values.add(value);
  if (depth < MAX_DEPTH) for (const [, part] of partsOf(schema)) addSchema(values, part, depth + 1);
}

const LITERAL = String.raw`("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`(?:[^`\\\\$]|\\\\.)*`"}|-?(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?))`;
const OPERATOR = "(?:[=!]==?|[<>]=?)";
const COMPARED = [
  new RegExp(`${OPERATOR}\\s*${LITERAL}`, "g"),
  new RegExp(`${LITERAL}\\s*${OPERATOR}`, "g"),
  new RegExp(`\\bcase\\s*${LITERAL}`, "g"),
  new RegExp(`\\.(?:startsWith|endsWith|includes|indexOf|has|get)\\(\\s*${LITERAL}`, "g"),
];
/** `["a", "b"].includes(x)`. */
const LISTED = /\[([^[\]]{1,2000})\]\s*(?:\)\s*)?\.(?:includes|indexOf|some|has)\(/g;

function* comparedIn(source: string): Iterable<unknown> {
  for (const form of COMPARED) for (const [, literal] of source.matchAll(form)) yield literalValue(literal);
  for (const [, list = ""] of source.matchAll(LISTED))
    for (const [, literal] of list.matchAll(new RegExp(LITERAL, "g"))) yield literalValue(literal);
}

function literalValue(literal = ""): unknown {
  if (/^[-\d]/.test(literal)) return Number(literal.replaceAll("_", ""));
  const inner = literal.slice(1, -1).replace(/\\'|\\`/g, (escaped) => escaped.slice(1));
  try {
    return JSON.parse(`"${inner.replace(/(?<!\\)"/g, '\\"')}"`);
  } catch {
    return inner;
  }
}

/** Where an expression may begin: elsewhere a `/` divides. */
const PATTERN =
  /(?:^|[(,=:!&|?;{}[\n]|\breturn)\s*\/((?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;

function* patternsIn(source: string): Iterable<SeenConstants["patterns"][number]> {
  for (const [, pattern = "", flags = ""] of source.matchAll(PATTERN)) {
    try {
      new RegExp(pattern, flags);
      yield { source: pattern, flags };
    } catch {
      // It was no regular expression.
    }
  }
}
