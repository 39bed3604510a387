// Compiles an extractor to a reader when a route is mounted.

import type { TObject } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import type { RawParameters } from "#schema/compile/coercion.js";
import type { BodyStream } from "../exchange/body-stream.js";
import { Refusal } from "../refusal/refusal.js";
import { type Pattern, parametersOf } from "../routing/pattern.js";
import { type BodyMedia, FORM, JSON_MEDIA, MULTIPART } from "./body-media.js";
import type { Part } from "./extractor.js";
import { parseForm, parseQuery, treeOf } from "./form-fields.js";
import { compileCookies, compileHeaders } from "./head-parameters.js";
import { decodeText, jsonReader, NOT_UTF8 } from "./json-body.js";
import { usesDisk } from "./multipart/options.js";
import { compileMultipart } from "./multipart/reader.js";
import { compileFields, compileParameters } from "./parameters.js";

interface RequestParts {
  readonly segments: readonly string[];
  readonly query: string | undefined;
  readonly contentType: string;
  readonly bodyLength: number;
  readonly particulars: {
    /** Values of the headers in `Reader.headers`. */
    readonly fields: RawParameters;
    /** For readers that stream the body. */
    readonly stream: BodyStream | null;
  };
}

export interface Reader {
  readonly readsBody: boolean;
  readonly streams: boolean;
  /** True if it streams the body and keeps it in memory. */
  readonly keeps: boolean;
  /** Undefined for any content type. */
  readonly media: BodyMedia | undefined;
  /** Lower-case names of the headers to fetch. */
  readonly headers: ReadonlySet<string>;
  /** Returns the input or a Refusal, or a promise of either if it streams. `body` is detached when this returns. */
  readonly read: (request: RequestParts, body: Buffer) => unknown;
}

const NO_HEADERS: ReadonlySet<string> = new Set();
const NO_BODY = {
  readsBody: false,
  streams: false,
  keeps: false,
  media: undefined,
  headers: NO_HEADERS,
} as const;

export const readNothing: Reader = { ...NO_BODY, read: () => undefined };

/** `owner` is the route, for messages. */
export function compileExtractor(part: Part, pattern: Pattern, owner: string): Reader {
  switch (part.kind) {
    case "json":
      return bodyReader(jsonReader(part.schema, `${owner}, json()`), JSON_MEDIA);
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
    case "header":
      return headerReader(part.schema, owner);
    case "cookie":
      return cookieReader(part.schema, owner);
    case "form":
      return formReader(part.schema, owner);
    case "text":
      return bodyReader((body) => decodeText(body) ?? NOT_UTF8);
    case "bytes":
      // A copy, because the memory belongs to the engine.
      return bodyReader((body) => new Uint8Array(body));
    case "multipart": {
      const read = compileMultipart(part.options, owner);
      const keeps = !usesDisk(part.options);
      return { ...NO_BODY, readsBody: true, streams: true, keeps, media: MULTIPART, read };
    }
    case "stream":
      return { ...NO_BODY, readsBody: true, streams: true, read: ({ particulars }) => particulars.stream };
    case "combine":
      return combinedReader(part.parts, pattern, owner);
  }
}

const bodyReader = (read: (body: Buffer) => unknown, media?: BodyMedia): Reader => ({
  readsBody: true,
  streams: false,
  keeps: false,
  media,
  headers: NO_HEADERS,
  read: (_, body) => read(body),
});

function formReader(schema: TObject, owner: string): Reader {
  const readFields = compileFields(schema, `${owner}, form()`);
  return bodyReader((body) => {
    const fields = parseForm(body);
    const tree = fields instanceof Refusal ? fields : treeOf(fields);
    return tree instanceof Refusal ? tree : readFields(tree);
  }, FORM);
}

function parametersReader(
  schema: TObject,
  owner: string,
  rawOf: (request: RequestParts) => RawParameters | Refusal,
  place?: string,
): Reader {
  const readParameters = compileParameters(schema, owner, place);
  const read = (request: RequestParts): unknown => {
    const raw = rawOf(request);
    return raw instanceof Refusal ? raw : readParameters(raw);
  };
  return { ...NO_BODY, read };
}

function headerReader(schema: TObject, owner: string): Reader {
  const read = parametersReader(
    schema,
    owner,
    ({ particulars }) => pick(particulars.fields),
    "In the headers",
  );
  const pick = compileHeaders(schema, owner);
  return { ...read, headers: new Set(Object.keys(schema.properties).map((name) => name.toLowerCase())) };
}

function cookieReader(schema: TObject, owner: string): Reader {
  const read = parametersReader(
    schema,
    owner,
    ({ particulars }) => pick(particulars.fields),
    "In the cookies",
  );
  const pick = compileCookies(schema);
  return { ...read, headers: new Set(["cookie"]) };
}

function combinedReader(parts: Readonly<Record<string, Part>>, pattern: Pattern, owner: string): Reader {
  const readers = Object.entries(parts).map(([name, part]) => ({
    name,
    ...compileExtractor(part, pattern, `${owner}, ${name}`),
  }));
  const bodies = readers.filter((reader) => reader.readsBody);
  if (bodies.length > 1) {
    const names = bodies.map((reader) => reader.name).join(" and ");
    throw new FrameworkError(
      "EXTRACTOR_INVALID",
      `${owner}: ${names} both read the body, which can be read once: keep one of them`,
    );
  }
  const names = readers.map(({ name }) => [name, undefined] as const);
  // Asynchronous readers run last, so that no other reader refuses the request after they have started.
  const quickestFirst = [...readers].sort((a, b) => Number(a.streams) - Number(b.streams));
  return {
    readsBody: bodies.length > 0,
    streams: bodies.some((reader) => reader.streams),
    keeps: bodies.some((reader) => reader.keeps),
    media: bodies[0]?.media,
    headers: new Set(readers.flatMap((reader) => [...reader.headers])),
    read: (request, body) => {
      const input: Record<string, unknown> = Object.fromEntries(names);
      for (const { name, read } of quickestFirst) {
        const value = read(request, body);
        if (value instanceof Refusal) return value;
        if (value instanceof Promise) return value.then((later) => withPart(input, name, later));
        input[name] = value;
      }
      return input;
    },
  };
}

const withPart = (input: Record<string, unknown>, name: string, value: unknown): unknown =>
  value instanceof Refusal ? value : { ...input, [name]: value };

function requireInPath(schema: TObject, pattern: Pattern, owner: string): void {
  const unknown = (schema.required ?? []).find((name) => !pattern.names.includes(name));
  if (unknown === undefined) return;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `${owner}: path() asks for '${unknown}', which the path ${pattern.text} does not have: add ':${unknown}' to it`,
  );
}
