// Headers and cookies as parameters. Read in a walk, because a look-up returns the first of repeated
// headers only.

import type { TObject } from "@sinclair/typebox";
import { FrameworkError } from "#core/errors.js";
import type { RawParameters } from "#schema/compile/coercion.js";
import { kindOf } from "#schema/tree/schema-tree.js";
import { MEANT_IF_EMPTY } from "../native/head-fields.js";
import type { NativeRequest } from "../native/port.js";
import { cookiePackage } from "../refusal/cookie-package.js";
import { Refusal } from "../refusal/refusal.js";
import { addText } from "./form-fields.js";

const MAX_COOKIES = 1000;

const TOO_MANY = new Refusal("PARAMETER_INVALID", { detail: `There are more than ${MAX_COOKIES} cookies` });

/** Headers by lower-case name. */
export const fieldsOf = (request: NativeRequest, names: ReadonlySet<string>): RawParameters =>
  collected(request, (name) => names.has(name));

export const allFields = (request: NativeRequest): RawParameters => collected(request, () => true);

function collected(request: NativeRequest, takes: (name: string) => boolean): RawParameters {
  const fields: Record<string, string | string[]> = Object.create(null);
  request.forEach((name, value) => {
    if (takes(name)) addText(fields, name, value);
  });
  return fields;
}

/** Selects the headers of a schema. */
export function compileHeaders(schema: TObject, owner: string): (fields: RawParameters) => RawParameters {
  const headers = Object.entries(schema.properties).map(([property, inner]) => ({
    property,
    name: property.toLowerCase(),
    isList: kindOf(inner) === "Array",
    isMeantIfEmpty: MEANT_IF_EMPTY.has(property.toLowerCase()),
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
    for (const { property, name, isList, isMeantIfEmpty } of headers) {
      const { [name]: lines } = fields;
      if (lines === undefined) continue;
      const value = isList ? itemsOf(lines) : filled(lines);
      if (value !== "" || isMeantIfEmpty) raw[property] = value;
    }
    return raw;
  };
}

// RFC 9110, section 5.6.1: quoted strings may hold commas; empty items are ignored.
const ITEM = /(?:[^",]|"(?:[^"\\]|\\[\s\S])*"?)+/g;

const itemsOf = (value: string | readonly string[]): readonly string[] =>
  [value]
    .flat()
    .flatMap((line) => (line.match(ITEM) ?? []).map((item) => item.trim()).filter((item) => item !== ""));

/** The non-empty lines; "" if all are empty. */
function filled(lines: string | readonly string[]): string | readonly string[] {
  if (typeof lines === "string") return lines;
  const [first = "", ...others] = lines.filter((line) => line !== "");
  return others.length === 0 ? first : [first, ...others];
}

/** Selects the cookies of a schema. Of a repeated cookie the first counts, as in browsers. */
export function compileCookies(schema: TObject): (fields: RawParameters) => RawParameters | Refusal {
  const { parse } = cookiePackage();
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
