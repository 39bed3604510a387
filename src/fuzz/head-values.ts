// Values for the headers that a route reads beside its input.

import type { RouteInfo } from "#http/plan/route-info.js";
import { type Choice, chance, oneOf } from "#schema/sample/choice.js";
import { oddText } from "./texts.js";

/** Headers of framing, connection or credentials: no schema sample is used for them. */
const UNDRAWN =
  /^(?:authorization|connection|content-(?:encoding|length|type)|cookie|expect|host|te|trailer|transfer-encoding|upgrade|(?:proxy|sec-websocket|x-forwarded)-.*)$/;

/** Typical values of headers with a syntax of their own. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  accept: ["*/*", "application/json", "text/html"],
  "if-match": ["*", '"v1"', 'W/"v1"'],
  "if-modified-since": ["Thu, 01 Jan 2026 00:00:00 GMT"],
  "if-none-match": ["*", '"v1"'],
  "if-unmodified-since": ["Thu, 01 Jan 2026 00:00:00 GMT"],
  origin: ["http://test.local", "https://elsewhere.example", "null"],
  "sec-fetch-site": ["same-origin", "none", "same-site", "cross-site"],
};

const headerValue = (name: string, choice: Choice): string => {
  const usual = USUAL[name];
  return usual === undefined || chance(choice, 15) ? oddText(choice) : oneOf(choice, usual);
};

/** Headers or cookies by name. Those that the route requires are always present. */
export const headValues = (
  { reads }: RouteInfo,
  place: "header" | "cookie",
  choice: Choice,
  isPlain: boolean,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    reads
      .filter((read) => read.in === place && (place === "cookie" || !UNDRAWN.test(read.name)))
      .filter(({ required }) => required || (!isPlain && chance(choice, 60)))
      .map(({ name }) => [name, headerValue(name, choice)]),
  );

/** A type that a guard admits; undefined if no guard restricts it. */
export function contentType({ accepts }: RouteInfo, choice: Choice): string | undefined {
  if (accepts === undefined || accepts.length === 0) return undefined;
  return oneOf(choice, accepts).replace(/\*$/, "png").replace(/^\*\//, "application/");
}
