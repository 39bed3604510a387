// Generates requests for one route: valid ones, ones with a part at or just beyond a bound of its schema,
// and malformed ones. Invariants:
//
//   FZ1. The same seed, route and index give the same request, regardless of earlier responses and
//        of the other fuzzed routes.

import type { TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import type { FilesByName } from "#http/input/multipart/named-files.js";
import type { MultipartOptions } from "#http/input/multipart/options.js";
import { type Choice, chance, oneOf, seeded } from "#schema/sample/choice.js";
import { Samples } from "#schema/sample/samples.js";
import { word } from "#schema/sample/words.js";
import { type FuzzPart, type FuzzRequest, withoutEmpty } from "./fuzz-request.js";
import type { FuzzedRoute } from "./fuzzed-route.js";
import { contentType, headValues } from "./head-values.js";
import { malformed } from "./malformed.js";
import { type Hint, type HintedPlace, type RouteHints, withHint } from "./route-hints.js";
import { fieldsOf, headerText, oddText, plainText, textsOf } from "./texts.js";

type Drawn = Omit<FuzzRequest, "route" | "as" | "peer">;
type RoutePart = FuzzedRoute["parts"][number];

/** How a part is generated: a sample of its schema, an edge of it, or its plainest value. */
type Manner = "plain" | "random" | "edge";

const MAX_SEED = 2 ** 32;
const MAX_MESSAGES = 4;

export class RequestGenerator {
  readonly #route: FuzzedRoute;
  readonly #hints: RouteHints;
  readonly #samples = new Map<TSchema, Samples | undefined>();
  /** Of the request that is being drawn. */
  #hint: Hint | undefined;

  constructor(route: FuzzedRoute, hints: RouteHints) {
    this.#route = route;
    this.#hints = hints;
  }

  /** `callers` are the names of identities; undefined stands for none. */
  draw(seed: number, index: number, callers: readonly (string | undefined)[]): FuzzRequest {
    const choice = seeded(hash(`${seed} ${this.#route.row} ${index}`));
    const as = oneOf(choice, callers);
    this.#hint = this.#hints.at(index);
    const drawn = this.#drawn(choice, index === 0);
    const { row: route } = this.#route;
    return withoutEmpty({ route, ...(as !== undefined && { as }), ...drawn });
  }

  #drawn(choice: Choice, isFirst: boolean): Drawn {
    const { parts, info } = this.#route;
    const isHinted = this.#hint !== undefined;
    const isEdge = !isFirst && chance(choice, 50) && !isHinted;
    const edged = isEdge && parts.length > 0 ? oneOf(choice, parts) : undefined;
    const usual: Manner = isFirst ? "plain" : "random";
    let drawn: Drawn = this.#unnamed(choice, isFirst);
    for (const part of parts)
      drawn = joined(drawn, this.#part(part, part === edged ? "edge" : usual, choice));
    if (info.webSocket !== undefined)
      drawn = { ...drawn, messages: this.#messages(info.webSocket.schema, choice) };
    return !isFirst && !isHinted && chance(choice, 12) ? malformed(drawn, info, choice) : drawn;
  }

  /** Path parameters, headers and cookies without a schema. Identities carry credentials. */
  #unnamed(choice: Choice, isPlain: boolean): Drawn {
    const { names, info } = this.#route;
    return {
      params: Object.fromEntries(names.map((name) => [name, this.#text(plainText(choice), "head")])),
      headers: headValues(info, "header", choice, isPlain),
      cookies: headValues(info, "cookie", choice, isPlain),
    };
  }

  #part(part: RoutePart, manner: Manner, choice: Choice): Drawn {
    switch (part.kind) {
      case "json":
        return { json: this.#value(part.schema, manner, choice, "body") ?? null };
      case "path":
        return { params: single(this.#fields(part.schema, manner, choice)) };
      case "query":
        return { query: this.#fields(part.schema, manner, choice) };
      case "parameters": {
        const fields = Object.entries(this.#fields(part.schema, manner, choice));
        const isInPath = ([name]: readonly [string, unknown]): boolean => this.#route.names.includes(name);
        return {
          params: single(Object.fromEntries(fields.filter(isInPath))),
          query: Object.fromEntries(fields.filter((field) => !isInPath(field))),
        };
      }
      case "header": {
        const fields = Object.entries(this.#fields(part.schema, manner, choice));
        return {
          headers: Object.fromEntries(fields.map(([name, text]) => [name.toLowerCase(), headerText(text)])),
        };
      }
      case "cookie":
        return { cookies: single(this.#fields(part.schema, manner, choice)) };
      case "form":
        return { form: fieldsOf(this.#value(part.schema, manner, choice, "body")) };
      case "multipart":
        return { multipart: this.#multipart(part.options, manner, choice) };
      case "text":
      case "bytes":
      case "stream": {
        const type = contentType(this.#route.info, choice);
        const text = chance(choice, 70) ? plainText(choice) : oddText(choice);
        return {
          text: this.#text(text, "body"),
          ...(type !== undefined && { headers: { "content-type": type } }),
        };
      }
    }
  }

  #multipart(
    { schema, files: named }: MultipartOptions,
    manner: Manner,
    choice: Choice,
  ): readonly FuzzPart[] {
    const fields = schema === undefined ? {} : fieldsOf(this.#value(schema, manner, choice, "body"));
    const texts = Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((text) => ({ name, text })),
    );
    if (typeof named === "object") return [...texts, ...namedFiles(named, manner, choice)];
    const files = Array.from({ length: choice.below(3) }, () => ({
      name: oneOf(choice, ["file", word(choice)]),
      text: oddText(choice),
      filename: `${word(choice)}.txt`,
    }));
    return [...texts, ...files];
  }

  #messages(schema: TSchema | undefined, choice: Choice): readonly unknown[] {
    return Array.from({ length: choice.below(MAX_MESSAGES + 1) }, () => {
      if (schema === undefined || chance(choice, 10)) return oddText(choice);
      return this.#value(schema, chance(choice, 60) ? "random" : "edge", choice, "body") ?? null;
    });
  }

  #fields(schema: TSchema, manner: Manner, choice: Choice): Record<string, string | readonly string[]> {
    const value = this.#value(schema, manner, choice, "head");
    // A near miss of the object itself would be a value that no text represents.
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return textsOf(value);
  }

  #value(schema: TSchema, manner: Manner, choice: Choice, place: HintedPlace): unknown {
    const samples = this.#samplesOf(schema);
    const seed = choice.below(MAX_SEED);
    if (manner === "plain") return samples?.template();
    const value = manner === "random" ? samples?.random(seed) : samples?.edge(seed)?.value;
    if (this.#hint === undefined || samples === undefined) return value;
    return withHint(value, this.#hint, place, (hinted) => samples.fits(hinted));
  }

  #text(text: string, place: HintedPlace): string {
    return this.#hint?.texts(0, place)[0] ?? text;
  }

  #samplesOf(schema: TSchema): Samples | undefined {
    if (!this.#samples.has(schema)) this.#samples.set(schema, samplesOf(schema, this.#route.row));
    return this.#samples.get(schema);
  }
}

/** Undefined for schemas of values that are no JSON, such as dates. */
function samplesOf(schema: TSchema, owner: string): Samples | undefined {
  try {
    return new Samples(schema, owner);
  } catch (error) {
    if (error instanceof FrameworkError) return undefined;
    throw error;
  }
}

/** Mostly as the options say; of a near miss one is of another type or name, or missing. */
function namedFiles(files: FilesByName, manner: Manner, choice: Choice): readonly FuzzPart[] {
  const drawn = Object.entries(files).flatMap(([name, { types = [], required, multiple }]) => {
    const type = types[0]?.replace("*", "plain");
    const file = () => ({
      ...{ name, text: oddText(choice), filename: `${word(choice)}.txt` },
      ...(type !== undefined && { type }),
    });
    const isSent = required === true || chance(choice, 60);
    return Array.from({ length: isSent ? (multiple === true ? 1 + choice.below(2) : 1) : 0 }, file);
  });
  if (manner !== "edge") return drawn;
  const [first, ...others] = drawn;
  if (first === undefined) return [{ name: "other", text: "", filename: "other.txt" }];
  const misses: readonly (readonly FuzzPart[])[] = [
    others,
    [{ ...first, type: "application/x-other" }, ...others],
    [{ ...first, name: "other" }, ...others],
    [first, first, ...others],
  ];
  return oneOf(choice, misses);
}

const single = (fields: Readonly<Record<string, string | readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, [text].flat()[0] ?? ""]));

/** Merges objects by name. Later members win. */
function joined(one: Drawn, other: Drawn): Drawn {
  const { params, query, headers, cookies, ...rest } = other;
  return {
    ...one,
    ...rest,
    ...(params !== undefined && { params: { ...one.params, ...params } }),
    ...(query !== undefined && { query: { ...one.query, ...query } }),
    ...(headers !== undefined && { headers: { ...one.headers, ...headers } }),
    ...(cookies !== undefined && { cookies: { ...one.cookies, ...cookies } }),
  };
}

/** FNV-1a of 32 bits. */
export function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum >>> 0;
}
