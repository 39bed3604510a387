import type { TSchema } from "@sinclair/typebox";

import { invalidOption } from "#core/invalid-option.js";

// TypeBox kinds of values that exist in JavaScript only.
const UNCLONEABLE = new Set(["Function", "Constructor", "Promise", "symbol", "Iterator", "AsyncIterator"]);

/** Keywords with values instead of schemas. */
const VALUES = new Set(["const", "default", "enum", "examples"]);

/** Throws CONFIG_INVALID for a schema of values that cannot be sent to a thread. */
export function requireCloneable(what: string, schema: TSchema | undefined): void {
  const found = uncloneable(schema, "", new Set());
  if (found === undefined) return;
  throw invalidOption(what, `${found} cannot be sent to a thread: give the step data alone`);
}

function uncloneable(schema: unknown, at: string, seen: Set<unknown>): string | undefined {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return undefined;
  seen.add(schema);
  const { type } = schema as { readonly type?: unknown };
  if (typeof type === "string" && UNCLONEABLE.has(type))
    return `${at === "" ? "what it allows" : at}, a ${type},`;
  for (const [name, inner] of Object.entries(schema)) {
    if (VALUES.has(name)) continue;
    const found = uncloneable(inner, name === "properties" ? at : `${at}/${name}`, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}
