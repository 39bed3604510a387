// Headers and cookies as parameters. A route that declares some has the head walked
// over once more: a look-up by name shows the first of a repeated header alone.

import { createRequire } from "node:module";
import type { TObject } from "@sinclair/typebox";
import type * as Cookie from "cookie";

import { FrameworkError } from "#core/errors.js";
import type { RawParameters } from "#schema/coercion.js";
import { kindOf } from "#schema/schema-tree.js";
import type { NativeRequest } from "./native/port.js";
import { Refusal } from "./refusal.js";

// Loaded at the first route that reads a cookie.
const require = createRequire(import.meta.url);

const MAX_COOKIES = 1000;

const TOO_MANY = new Refusal("PARAMETER_INVALID", { detail: `There are more than ${MAX_COOKIES} cookies` });

/** The headers of these lower-case names; one that came more than once has an array. An empty one is none. */
export const fieldsOf = (request: NativeRequest, names: ReadonlySet<string>): RawParameters =>
  collected(request, (name, value) => value !== "" && names.has(name));

/** All headers, empty ones too. */
export const allFields = (request: NativeRequest): RawParameters => collected(request, () => true);

function collected(request: NativeRequest, takes: (name: string, value: string) => boolean): RawParameters {
  const fields: Record<string, string | string[]> = Object.create(null);
  request.forEach((name, value) => {
    if (!takes(name, value)) return;
    const known = fields[name];
    if (known === undefined) fields[name] = value;
    else if (typeof known === "string") fields[name] = [known, value];
    else known.push(value);
  });
  return fields;
}

/** Picks the headers that a schema names out of those that were fetched. */
export function compileHeaders(schema: TObject, owner: string): (fields: RawParameters) => RawParameters {
  const headers = Object.entries(schema.properties).map(([property, inner]) => ({
    property,
    name: property.toLowerCase(),
    isList: kindOf(inner) === "Array",
  }));
  const twice = headers.find(({ name }, i) => headers.findIndex((other) => other.name === name) < i);
  if (twice !== undefined) {
    throw new FrameworkError(
      "EXTRACTOR_INVALID",
      `${owner}: header() asks for '${twice.property}' twice: the case of a header's name does not matter`,
    );
  }
  return (fields) => {
    const raw: Record<string, string | readonly string[]> = Object.create(null);
    for (const { property, name, isList } of headers) {
      const value = fields[name];
      if (value !== undefined) raw[property] = isList ? itemsOf(value) : value;
    }
    return raw;
  };
}

// RFC 9110, section 5.6.1: a comma inside quotes ends no item, an empty item is none.
const ITEM = /(?:[^",]|"(?:[^"\\]|\\[\s\S])*"?)+/g;

const itemsOf = (value: string | readonly string[]): readonly string[] =>
  [value]
    .flat()
    .flatMap((line) => (line.match(ITEM) ?? []).map((item) => item.trim()).filter((item) => item !== ""));

/** Picks the cookies that a schema names; of one that came more than once the first counts, as for browsers. */
export function compileCookies(schema: TObject): (fields: RawParameters) => RawParameters | Refusal {
  const { parse } = require("cookie") as typeof Cookie;
  const names = Object.keys(schema.properties);
  return (fields) => {
    const raw: Record<string, string> = Object.create(null);
    const line = [fields["cookie"] ?? ""].flat().join("; ");
    if (line.split(";", MAX_COOKIES + 1).length > MAX_COOKIES) return TOO_MANY;
    const cookies = parse(line);
    for (const name of names) {
      const value = cookies[name];
      if (value !== undefined) raw[name] = value;
    }
    return raw;
  };
}
