// The subjects of messages between the processes of a service, with the schema of each. During a
// rolling restart a message may come from another build. It is read as far as this build can, and
// is otherwise ignored.

import type { TSchema } from "@sinclair/typebox";

import { compileSchema } from "#schema/compile/validator.js";

export interface Subject<T> {
  /** Name of the subject in messages. */
  readonly about: string;
  /** True if this build can read the value, which is never null. May adapt the value in place. */
  readonly fits: (said: unknown) => said is T;
}

/** Compiled at the first message: most processes have no peers. */
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

/** Adapts a value in place: unknown properties are removed, missing nullable ones become null. */
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

/** Selects the variant of a union by its constants. */
const isMeant = ({ properties = {} }: Shape, said: object): boolean =>
  Object.entries(properties).every(
    ([name, one]) =>
      one.const === undefined || one.const === (said as Readonly<Record<string, unknown>>)[name],
  );
