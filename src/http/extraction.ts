// Compiles an extractor to a reader: what it needs of the request is known when
// the route is mounted, and nothing else is fetched.

import type { TObject, TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import type { SchemaError } from "#core/schema-error.js";
import { compileCoercion, type RawParameters } from "#schema/coercion.js";
import { kindOf } from "#schema/schema-tree.js";
import { compileSchema } from "#schema/validator.js";
import type { Part } from "./extractor.js";
import { decodeText, NOT_UTF8, parseJson } from "./json-body.js";
import { type Pattern, parametersOf } from "./pattern.js";
import { parseQuery } from "./query-string.js";
import { Refusal } from "./refusal.js";

/** What a reader is given of a request. */
interface RequestParts {
  readonly segments: readonly string[];
  readonly query: string | undefined;
}

export interface Reader {
  readonly readsBody: boolean;
  /** Whether the body must be JSON by its content type. */
  readonly wantsJson: boolean;
  /** The input, or why the request is refused. `body` is empty where none is read, and gone when this returns. */
  readonly read: (request: RequestParts, body: Buffer) => unknown;
}

/** The reader of a route without input. */
export const readNothing: Reader = { readsBody: false, wantsJson: false, read: () => undefined };

/** `owner` is the route, for messages. */
export function compileExtractor(part: Part, pattern: Pattern, owner: string): Reader {
  switch (part.kind) {
    case "json":
      return jsonReader(part.schema, owner);
    case "path":
      requireInPath(part.schema, pattern, owner);
      return parametersReader(part.schema, owner, ({ segments }) => parametersOf(pattern, segments));
    case "query":
      return parametersReader(part.schema, owner, ({ query }) => parseQuery(query));
    case "parameters":
      return parametersReader(part.schema, owner, ({ query, segments }) => {
        const raw = parseQuery(query);
        return raw instanceof Refusal ? raw : Object.assign(raw, parametersOf(pattern, segments));
      });
    case "text":
      return bodyReader((body) => decodeText(body) ?? NOT_UTF8);
    case "bytes":
      // A copy: the body's memory is the engine's own.
      return bodyReader((body) => new Uint8Array(body));
    case "combine":
      return combinedReader(part.parts, pattern, owner);
  }
}

const bodyReader = (read: (body: Buffer) => unknown): Reader => ({
  readsBody: true,
  wantsJson: false,
  read: (_, body) => read(body),
});

function jsonReader(schema: TSchema, owner: string): Reader {
  const { check, errors } = compileSchema(schema, { owner: `${owner}, json()`, origin: "json" });
  return {
    readsBody: true,
    wantsJson: true,
    read: (_, body) => {
      const value = parseJson(body);
      return check(value) || value instanceof Refusal
        ? value
        : new Refusal("INPUT_INVALID", { errors: errors(value) });
    },
  };
}

function parametersReader(
  schema: TObject,
  owner: string,
  rawOf: (request: RequestParts) => RawParameters | Refusal,
): Reader {
  requireObject(schema, owner);
  const coerce = compileCoercion(schema);
  const { check, errors } = compileSchema(schema, { owner: `${owner}, parameters`, origin: "json" });
  const read = (request: RequestParts): unknown => {
    const raw = rawOf(request);
    if (raw instanceof Refusal) return raw;
    const coerced = coerce(raw);
    if (!coerced.ok) return malformed(coerced.errors);
    return check(coerced.value)
      ? coerced.value
      : new Refusal("INPUT_INVALID", { errors: errors(coerced.value) });
  };
  return { readsBody: false, wantsJson: false, read };
}

const malformed = (errors: readonly SchemaError[]): Refusal => new Refusal("PARAMETER_INVALID", { errors });

function combinedReader(parts: Readonly<Record<string, Part>>, pattern: Pattern, owner: string): Reader {
  const readers = Object.entries(parts).map(([name, part]) => ({
    name,
    ...compileExtractor(part, pattern, `${owner}, ${name}`),
  }));
  const bodies = readers.filter((reader) => reader.readsBody).map((reader) => reader.name);
  if (bodies.length > 1) {
    throw new FrameworkError(
      "EXTRACTOR_INVALID",
      `${owner}: ${bodies.join(" and ")} both read the body, which can be read once: keep one of them`,
    );
  }
  return {
    readsBody: bodies.length > 0,
    wantsJson: readers.some((reader) => reader.wantsJson),
    read: (request, body) => {
      const input: Record<string, unknown> = {};
      for (const { name, read } of readers) {
        const value = read(request, body);
        if (value instanceof Refusal) return value;
        input[name] = value;
      }
      return input;
    },
  };
}

function requireObject(schema: TSchema, owner: string): void {
  if (kindOf(schema) === "Object") return;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `${owner}: parameters have names, so their schema must be a Type.Object, not ${kindOf(schema)}; compose others with Type.Composite`,
  );
}

function requireInPath(schema: TObject, pattern: Pattern, owner: string): void {
  const unknown = (schema.required ?? []).find((name) => !pattern.names.includes(name));
  if (unknown === undefined) return;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `${owner}: path() asks for '${unknown}', which the path ${pattern.text} does not have: add ':${unknown}' to it`,
  );
}
