// The payload of a signal, checked before a run takes it.

import type { SchemaError } from "#core/bus/schema-error.js";
import type { AnySignal } from "#core/flow/signal.js";
import { MAX_SIGNAL_CHARS } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";
import {
  type AxonDefinition,
  oldVersionsOf,
  type Visitor,
  visitAxon,
} from "../definition/axon-definition.js";
import { encode, NotDurable } from "../kept/durable-value.js";

export interface InvalidSignal {
  readonly kind: "invalid";
  /** `pointer` is "" for a signal that the Axon does not know. */
  readonly errors: readonly SchemaError[];
}

/** The signals for which runs of an Axon wait, also those that an old version of it finishes. By name. */
export function declaredSignals(axon: AxonDefinition): ReadonlyMap<string, AnySignal> {
  const signals = new Map<string, AnySignal>();
  const visitor: Visitor = {
    step: ({ body }) => {
      if (body.kind !== "wait" || body.wait.kind !== "signals") return;
      // The newest version comes first, and decides.
      for (const each of body.wait.signals) if (!signals.has(each.name)) signals.set(each.name, each);
    },
  };
  visitAxon(axon, visitor);
  for (const old of oldVersionsOf(axon)) visitAxon(old, visitor);
  return signals;
}

const validators = new WeakMap<object, Validator>();

/** The payload as a log keeps it; the errors of one that does not fit, or of a signal that the Axon does not know. */
export function payloadOf(
  axon: AxonDefinition,
  name: string,
  payload: unknown,
): InvalidSignal | { readonly json: Json } {
  const declared = declaredSignals(axon);
  const known = declared.get(name);
  if (known === undefined) {
    const names = [...declared.keys()].map((each) => `'${each}'`).join(", ");
    return invalidSignal("signal", `a signal that '${axon.name}' waits for: ${names || "it waits for none"}`);
  }
  const owner = `Axon '${axon.name}', signal '${name}'`;
  const { check, errors } =
    validators.get(known.schema) ?? compileSchema(known.schema, { owner, origin: "program" });
  validators.set(known.schema, { check, errors });
  if (!check(payload)) return { kind: "invalid", errors: errors(payload) };
  try {
    const json = encode(payload, "payload", MAX_SIGNAL_CHARS);
    if (JSON.stringify(json).length <= MAX_SIGNAL_CHARS) return { json };
  } catch (error) {
    if (!(error instanceof NotDurable)) throw error;
    if (error.maxChars === undefined)
      return invalidSignal("durable", `data, and ${error.path} is ${error.message}`);
  }
  return invalidSignal("maxLength", `at most ${MAX_SIGNAL_CHARS} characters of JSON`);
}

export const invalidSignal = (keyword: string, expected: string): InvalidSignal => ({
  kind: "invalid",
  errors: [{ pointer: "", keyword, expected }],
});
