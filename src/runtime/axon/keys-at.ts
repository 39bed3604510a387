import type { AnyKey } from "#core/bus/bus-key.js";
import type { RunPosition } from "#core/ports/run-store.js";
import { missingKeys, requireNoneMissing } from "../check/definite-assignment.js";
import { KEYS_OF_RUN } from "../check/used-keys.js";
import type { Program } from "../compile/program.js";
import type { RunLog } from "../kept/run-log.js";
import { keysOnEntry } from "../steps/entering.js";

interface Resumption {
  /** The keys of the Bus with which the run resumes. */
  readonly given: readonly AnyKey[];
  /** A cancelled run runs no further steps. */
  readonly isCancelled: boolean;
}

/** Throws KEYS_UNPROVIDED for keys that the steps from there on, or compensations of completed ones, read. */
export function requireKeysAt(
  program: Program,
  { node, bus }: RunPosition,
  { completed, error }: RunLog,
  { given, isCancelled }: Resumption,
): void {
  const { name, code, layout } = program;
  const restored = layout.keys.filter((key) => Object.hasOwn(bus, key.name));
  const known = [...keysOnEntry(program), ...KEYS_OF_RUN, ...restored, ...given];
  // A failed run runs no further steps, either.
  const ahead =
    error === undefined && !isCancelled ? missingKeys(name, code, known, program.entryOf(node)) : [];
  const undoing = completed.flatMap((step) => {
    const found = code.find((instruction) => instruction.node === step.node);
    const missing = (found?.undoReads ?? []).filter(
      (key) =>
        !known.includes(key) && !Object.hasOwn(step.bus ?? {}, key.name) && !found?.writes.includes(key),
    );
    return missing.map((key) => `'${key.name}' for what undoes step '${found?.name}' of Axon '${name}'`);
  });
  requireNoneMissing([...ahead, ...undoing]);
}
