// Values at a bound of a schema, and just beyond it.

import type { TSchema } from "@sinclair/typebox";

import { kindOf } from "../tree/schema-tree.js";
import { plain } from "./choice.js";
import { words } from "./words.js";

export interface Edge {
  readonly value: unknown;
  /** Description: "1001, above its maximum of 1000". */
  readonly note: string;
}

/** Longer texts and lists are of no use. */
const MAX_SIZE = 10_000;

/**
 * Edge cases of one part, based on its drawn value. Other constraints, such as a pattern, may make
 * a valid edge invalid.
 */
export function edgesOf(schema: TSchema, value: unknown): readonly Edge[] {
  switch (kindOf(schema)) {
    case "String":
    case "RegExp":
    case "TemplateLiteral":
      return [...textEdges(schema, String(value)), edge(0, "a number in the place of a text")];
    case "Integer":
      return [
        ...numberEdges(schema, Number(value)),
        edge(Number(value) + 0.5, "a fraction in the place of a whole number"),
      ];
    case "Number":
      return numberEdges(schema, Number(value));
    case "Boolean":
      return [edge("true", "a text in the place of a boolean"), edge(true, "true"), edge(false, "false")];
    case "Array":
      return listEdges(schema, value as readonly unknown[]);
    case "Object":
      return objectEdges(schema, value as Readonly<Record<string, unknown>>);
    case "Tuple":
      return [edge((value as readonly unknown[]).slice(1), "one item too few")];
    case "Literal":
      return [edge(`${schema["const"]}_`, `not ${JSON.stringify(schema["const"])}`)];
    case "Null":
      return [edge(0, "0 in the place of null")];
    default:
      return [];
  }
}

const edge = (value: unknown, note: string): Edge => ({ value, note });

function textEdges(schema: TSchema, value: string): readonly Edge[] {
  const { minLength, maxLength, format, pattern = schema["source"] } = schema;
  const free = format === undefined && pattern === undefined;
  const sized = (length: number): string =>
    free ? words(plain, length) : value.padEnd(length, "x").slice(0, length);
  const within = (length: number | undefined): length is number =>
    length !== undefined && length > 0 && length <= MAX_SIZE;
  return [
    edge(null, "null in the place of a text"),
    edge("", "the empty text"),
    ...(within(minLength)
      ? [
          edge(sized(minLength), `its least length of ${minLength}`),
          edge(sized(minLength - 1), `one character short of its least length of ${minLength}`),
        ]
      : []),
    ...(within(maxLength)
      ? [
          edge(sized(maxLength), `its full length of ${maxLength}`),
          edge(
            `${sized(maxLength - 1)}\u{1f600}`,
            `its full length of ${maxLength}, with a character of two UTF-16 units`,
          ),
          edge(sized(maxLength + 1), `one character above its length of ${maxLength}`),
        ]
      : []),
    ...(format === undefined ? [] : [edge(`${value} `, `no ${format}: it has a space behind it`)]),
    ...(pattern === undefined ? [] : [edge(`${value}\n`, `a line's end behind what matches ${pattern}`)]),
  ];
}

function numberEdges(schema: TSchema, value: number): readonly Edge[] {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  const pace = multipleOf ?? (kindOf(schema) === "Integer" ? 1 : 0.01);
  const step = (from: number, by: number): number => Number((from + by).toPrecision(15));
  return [
    edge(String(value), "a text in the place of a number"),
    edge(null, "null in the place of a number"),
    ...(minimum === undefined
      ? []
      : [
          edge(minimum, `its minimum of ${minimum}`),
          edge(step(minimum, -pace), `below its minimum of ${minimum}`),
        ]),
    ...(maximum === undefined
      ? [edge(Number.MAX_SAFE_INTEGER, "the largest whole number that JavaScript has exactly")]
      : [
          edge(maximum, `its maximum of ${maximum}`),
          edge(step(maximum, pace), `above its maximum of ${maximum}`),
        ]),
    ...(above === undefined
      ? []
      : [edge(above, `${above}, which it has to exceed`), edge(step(above, pace), `right above ${above}`)]),
    ...(below === undefined
      ? []
      : [
          edge(below, `${below}, which it has to stay below`),
          edge(step(below, -pace), `right below ${below}`),
        ]),
    ...(multipleOf === undefined ? [] : [edge(step(value, multipleOf / 2), `no multiple of ${multipleOf}`)]),
  ];
}

function listEdges(schema: TSchema, value: readonly unknown[]): readonly Edge[] {
  const { minItems, maxItems, uniqueItems } = schema;
  const [first] = value;
  const sized = (length: number): readonly unknown[] =>
    Array.from({ length }, (_, i) => (i < value.length ? value[i] : first));
  const within = (count: number | undefined): count is number =>
    count !== undefined && count <= MAX_SIZE && (value.length > 0 || count === 0);
  return [
    edge(first ?? null, "its first item in the place of the list"),
    edge([], "the empty list"),
    ...(within(minItems) && minItems > 0
      ? [
          edge(sized(minItems), `${minItems} items, its least`),
          edge(sized(minItems - 1), `one item short of ${minItems}`),
        ]
      : []),
    ...(within(maxItems)
      ? [
          edge(sized(maxItems), `${maxItems} items, its most`),
          edge(sized(maxItems + 1), `one item above ${maxItems}`),
        ]
      : []),
    ...(uniqueItems === true && value.length > 0 ? [edge([...value, first], "an item twice")] : []),
  ];
}

function objectEdges(schema: TSchema, value: Readonly<Record<string, unknown>>): readonly Edge[] {
  const required: readonly string[] = schema["required"] ?? [];
  const kept = (wanted: (name: string) => boolean): unknown =>
    Object.fromEntries(Object.entries(value).filter(([name]) => wanted(name)));
  return [
    edge(null, "null in the place of an object"),
    edge([], "a list in the place of an object"),
    edge(
      kept((name) => required.includes(name)),
      "what is required alone",
    ),
    ...required.map((name) =>
      edge(
        kept((other) => other !== name),
        `without '${name}', which is required`,
      ),
    ),
    ...(schema["additionalProperties"] === false
      ? [edge({ ...value, not_declared: 1 }, "with a property that it does not have")]
      : []),
  ];
}
