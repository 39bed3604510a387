// Makes kinds of signals.

import type { Static, TSchema } from "@sinclair/typebox";
import type { SignalKind } from "#core/flow/signal.js";
import { invalidOption } from "#core/invalid-option.js";
import { compileSchema } from "#schema/compile/validator.js";

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
    const checked = schema as S;
    compileSchema(checked, { owner: `signal '${name}'`, origin: "program" });
    return Object.freeze({ name, schema: checked });
  };
