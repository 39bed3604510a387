// What processes of a service ask or tell each other. Of one that runs another build of the
// program, while it is restarted worker by worker, nobody knows what it says: it is read as
// far as this build can, and otherwise as nothing.

import type { TSchema } from "@sinclair/typebox";

import { compileSchema } from "#schema/compile/validator.js";

export interface Subject<T> {
  /** What it is called between them. */
  readonly about: string;
  /** Whether what is said of it, never null, is what this build can read, or can be made that: in place. */
  readonly fits: (said: unknown) => said is T;
}

/** Compiled when something is said of it for the first time: most processes have no peers. */
export function subject<T>(about: string, schema: TSchema & { readonly static: T }): Subject<T> {
  let check: ((said: unknown) => boolean) | undefined;
  return {
    about,
    fits: (said): said is T => {
      check ??= compileSchema(schema, { owner: `What peers say of '${about}'`, origin: "json" }).check;
      return check(said) || check(adapted(schema as Shape, said));
    },
  };
}

interface Shape {
  readonly const?: unknown;
  readonly type?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: unknown;
}

/** In place: what another build says more is left out, and what may be null and is not said is null. */
function adapted(shape: Shape, said: unknown): unknown {
  const { anyOf, items, properties } = shape;
  if (typeof said !== "object" || said === null) return said;
  if (anyOf !== undefined) for (const one of anyOf.filter((one) => isMeant(one, said))) adapted(one, said);
  if (Array.isArray(said) && items !== undefined) for (const item of said) adapted(items, item);
  if (properties === undefined) return said;
  const members = said as Record<string, unknown>;
  for (const [name, inner] of Object.entries(properties)) {
    if (Object.hasOwn(members, name)) adapted(inner, members[name]);
    else if (inner.anyOf?.some(({ type }) => type === "null") === true) members[name] = null;
  }
  if (shape.additionalProperties === false)
    for (const name of Object.keys(members)) if (!Object.hasOwn(properties, name)) delete members[name];
  return said;
}

/** Of several shapes the one whose constants these are. */
const isMeant = ({ properties = {} }: Shape, said: object): boolean =>
  Object.entries(properties).every(
    ([name, one]) =>
      one.const === undefined || one.const === (said as Readonly<Record<string, unknown>>)[name],
  );
