// Makes kinds of signals, and the checks of their payloads.

import type { Static, TSchema } from "@sinclair/typebox";
import type { AnySignal, SignalKind } from "#core/flow/signal.js";
import { invalidOption } from "#core/invalid-option.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;

/** The schema if it describes exactly P, else a sentence that the compiler shows. */
type Describing<S extends TSchema, P> = [Static<S>] extends [P]
  ? [P] extends [Static<S>]
    ? S
    : "the schema does not allow all that the signal's type has"
  : "the schema allows what the signal's type has not";

/**
 * `signal<{ by: string }>()("approved", Type.Object({ by: Type.String() }))`: two calls, so that the
 * name stays a literal type. Throws CONFIG_INVALID for a name that is not 1 to 100 letters, digits,
 * `_`, `.` and `-`, a letter first; SCHEMA_INVALID for a schema that does not compile.
 */
export const signal =
  <P>() =>
  <const Name extends string, S extends TSchema>(
    name: Name,
    schema: Describing<S, P>,
  ): SignalKind<Name, P> => {
    if (typeof name !== "string" || !NAME.test(name))
      throw invalidOption(
        `signal()(${JSON.stringify(name)})`,
        "a name has 1 to 100 letters, digits, '_', '.' and '-', a letter first: rename it",
      );
    if (typeof schema !== "object" || schema === null)
      throw invalidOption(
        `signal()('${name}')`,
        "it has no schema of its payload: add one, as in Type.Object({ by: Type.String() })",
      );
    const kind = Object.freeze({ name, schema: schema as S });
    payloadCheck(kind);
    return kind;
  };

const checks = new WeakMap<object, Validator>();

/** The check of payloads. Compiled once for a kind. */
export function payloadCheck(kind: AnySignal): Validator {
  const known = checks.get(kind);
  if (known !== undefined) return known;
  const made = compileSchema(kind.schema, { owner: `signal '${kind.name}'`, origin: "program" });
  checks.set(kind, made);
  return made;
}
