// A dead letter is re-driven without its request, guards and layers. If a step reads a key that only
// these provide, letters of that step and of earlier steps cannot be re-driven. This is reported when
// the Axon is mounted.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import { FencingToken } from "#core/ports/lock.js";
import { programOf } from "#runtime/axon/in-process.js";
import { missingKeys } from "#runtime/check/definite-assignment.js";
import { KEYS_OF_RUN } from "#runtime/check/used-keys.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";

export function reportLettersOfRequests(
  axon: AxonDefinition,
  resources: Iterable<AnyKey>,
  reporter: Reporter,
): void {
  if (axon.dlqSink === undefined || axon.dlqPolicy?.kind === "drop") return;
  const { name, code, entries } = programOf(axon);
  const given = [...resources, ...code.flatMap(({ writes }) => writes), FencingToken, ...KEYS_OF_RUN];
  const lines = new Set([...entries.values()].flatMap((at) => missingKeys(name, code, given, at)));
  if (lines.size === 0) return;
  const message = `Dead letters of these steps, and of earlier ones, cannot be re-driven, since a re-drive has no request: ${[...lines].join("; ")}. Copy the values into the input, in a guard or the first step, or re-drive with a Bus that has them`;
  reporter({ code: "REDRIVE_NEEDS_REQUEST", message, axon: name });
}
