import type { AnyKey } from "#core/bus-key.js";
import type { AxonDefinition } from "./axon-definition.js";

/** Every key that a step of the Axon, or of what is attached to it, declares. */
export function keysOf(axon: AxonDefinition): Set<AnyKey> {
  const keys = new Set<AnyKey>();
  for (const { transition, branches } of axon.steps) {
    const { reads = [], writes = [], mayRead = [], mayWrite = [] } = transition;
    for (const key of [...reads, ...writes, ...mayRead, ...mayWrite]) keys.add(key);
    for (const body of branches.values()) for (const key of keysOf(body)) keys.add(key);
  }
  return keys;
}
