import type { TObject } from "@sinclair/typebox";

import { compileExtractor, type Reader, readNothing } from "./extraction.js";
import type { Part } from "./extractor.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

export interface Input {
  readonly reader: Reader;
  /** Whether the reader has checked the Axon's own input schema. */
  readonly checked: boolean;
}

/**
 * How a route makes its input: by its extractor; else, for an Axon with an input
 * schema, from the JSON body of POST, PUT and PATCH and from path and query
 * elsewhere; else not at all.
 */
export function inputOf(route: RouteDefinition): Input {
  const { axon, pattern } = route;
  const part = declaredInput(route);
  if (part === undefined) return { reader: readNothing, checked: false };
  const checked = part.kind !== "combine" && "schema" in part && part.schema === axon.input;
  return { reader: compileExtractor(part, pattern, describeRoute(route)), checked };
}

/** What a route's input is made of, where something says so. */
export function declaredInput({ axon, method, input }: RouteDefinition): Part | undefined {
  if (input !== undefined) return input;
  if (axon.input === undefined) return undefined;
  if (WITH_BODY.has(method)) return { kind: "json", schema: axon.input };
  // Whether it is an object is checked when it is compiled.
  return { kind: "parameters", schema: axon.input as TObject };
}
