// Finds keys that a kept run loses when it is resumed without its request: request values that a step
// after the first checkpoint reads must be in the log. Checked when the Axon is mounted.

import type { AnyKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { Session } from "#core/ports/session.js";
import type { Program } from "#runtime/compile/program.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { Answered } from "../header-steps.js";
import type { ConnectionSupply } from "../ingress-supply.js";

/** A line for each step and key that a resumed run would lack. */
export function requestBoundKeys(
  { name, layers }: AxonDefinition,
  { unkept }: Program,
  { supply, awaited }: Pick<ConnectionSupply, "supply" | "awaited">,
): readonly string[] {
  const ofLayers: ReadonlySet<AnyKey> = new Set(
    layers.flatMap(({ layer: { writes = [], mayWrite = [] } }) => [...writes, ...mayWrite]),
  );
  const originOf = (key: AnyKey): string | undefined => {
    if (key === Session) return "bound to the cookie of the request";
    if (awaited.has(key)) return "provided for each request";
    // Steps that read Answered put headers on a response and do not run without a request.
    if (supply.lazy.has(key) && key !== Answered) return "of the request";
    return ofLayers.has(key) ? "written by a layer" : undefined;
  };
  return unkept.flatMap(({ step, key }) => {
    const origin = originOf(key);
    return origin === undefined ? [] : `'${key.name}' for step '${step}' of Axon '${name}' (${origin})`;
  });
}

export function requireNoRequestBoundKeys(lines: readonly string[]): void {
  if (lines.length === 0) return;
  throw new FrameworkError(
    "KEYS_UNKEPT",
    `Steps read what a run that is resumed does not have: ${lines.join("; ")}. Let a guard or the first step write what they need to a key of the Axon's own, or make it a resource`,
  );
}
