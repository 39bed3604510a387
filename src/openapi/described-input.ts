// Parameters and body of an operation, of the route's extractor and of what its steps read of the head.

import type { TObject, TSchema } from "@sinclair/typebox";
import type { Part } from "#http/input/extractor.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { Parameter, ParameterPlace, RequestBody } from "./operation.js";

/** What browsers, clients and proxies set themselves, and what OpenAPI says elsewhere. */
const UNLISTED = new RegExp(
  `^(?:${[
    "accept|accept-charset|accept-encoding|authorization|connection|content-(?:encoding|length|type)",
    "cookie|date|expect|forwarded|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade",
    "user-agent|via|trace(?:parent|state)|(?:sec|proxy|access-control|x-forwarded)-.*",
  ].join("|")})$`,
);

export function parametersOf(route: RouteInfo): readonly Parameter[] {
  const { input, reads, admits, path } = route;
  const found = new Map<string, Parameter>();
  const add = (parameter: Parameter): void => {
    const name = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
    const id = `${parameter.in} ${name}`;
    const known = found.get(id);
    if (known === undefined) found.set(id, parameter);
    else if (parameter.required && !known.required) found.set(id, { ...known, required: true });
  };
  const inPath = path.split("/").flatMap((segment) => /^[:*](.+)$/s.exec(segment)?.[1] ?? []);
  const read = input === undefined ? [] : listed(input, inPath);
  // In the order of the path, whatever reads them.
  for (const name of inPath) {
    const declared = read.find((each) => each.in === "path" && each.name === name);
    add(declared ?? { in: "path", name, required: true, schema: undefined });
  }
  for (const parameter of read) if (parameter.in !== "path") add(parameter);
  const credentials = admits.map(({ credential }) => `${credential?.in} ${credential?.name.toLowerCase()}`);
  for (const { in: place, name, required } of reads) {
    const isListed = place === "cookie" || !UNLISTED.test(name);
    if (isListed && !credentials.includes(`${place} ${name.toLowerCase()}`))
      add({ in: place, name, required, schema: undefined });
  }
  return [...found.values()];
}

function listed(part: Part, inPath: readonly string[]): readonly Parameter[] {
  switch (part.kind) {
    case "path":
    case "query":
    case "header":
    case "cookie":
      return ofProperties(part.kind, part.schema);
    case "parameters":
      return ofProperties("query", part.schema).map((each) =>
        inPath.includes(each.name) ? { ...each, in: "path", required: true } : each,
      );
    case "combine":
      return Object.values(part.parts).flatMap((inner) => listed(inner, inPath));
    default:
      return [];
  }
}

const ofProperties = (place: ParameterPlace, schema: TObject): readonly Parameter[] =>
  Object.entries(schema.properties).map(([name, inner]: [string, TSchema]) => ({
    in: place,
    name,
    // One with a default is filled in.
    required: place === "path" || ((schema.required ?? []).includes(name) && inner.default === undefined),
    schema: inner,
  }));

const of = (media: string, schema: TSchema | undefined, required = true): RequestBody => ({
  required,
  content: [{ media, schema }],
  takesOthers: false,
});

export function bodyOf(
  input: Part | undefined,
  accepted: readonly string[] | undefined,
): RequestBody | undefined {
  switch (input?.kind) {
    case "json":
      return of("application/json", input.schema);
    case "form":
      return of("application/x-www-form-urlencoded", input.schema, isNeeded(input.schema));
    case "multipart":
      return of("multipart/form-data", withFiles(input.options.schema));
    case "text":
      return anyOf("text/plain", accepted);
    case "bytes":
    case "stream":
      return anyOf("application/octet-stream", accepted);
    case "combine":
      return Object.values(input.parts)
        .map((part) => bodyOf(part, accepted))
        .find((body) => body !== undefined);
    default:
      return undefined;
  }
}

/** An empty body is one, of any media type. */
const anyOf = (media: string, accepted: readonly string[] | undefined): RequestBody => ({
  required: false,
  content: (accepted ?? [media]).map((each) => ({ media: each, schema: undefined })),
  takesOthers: accepted === undefined,
});

const isNeeded = ({ properties, required = [] }: TObject): boolean =>
  required.some((name) => properties[name]?.default === undefined);

const FILE = { type: "string", format: "binary" };

/** The other parts are files, of any name. */
const withFiles = (fields: TObject | undefined): TSchema =>
  (fields === undefined
    ? { type: "object", additionalProperties: {} }
    : { ...fields, $id: undefined, additionalProperties: FILE }) as unknown as TSchema;
