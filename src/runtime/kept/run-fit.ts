// Where a stored run resumes with the code of this process, or why it cannot.

import type { RunPosition } from "#core/ports/run-store.js";
import type { AxonDefinition, MapInput, MigrationStrategy } from "../definition/axon-definition.js";
import type { JournalOptions } from "./appended.js";
import { encode, encodeError } from "./durable-value.js";
import type { RunLog } from "./run-log.js";
import { decode } from "./stored-value.js";

export type Fit =
  /** `strategy` of the migration that applies; absent for a run of this version. */
  | {
      readonly kind: "fits";
      readonly position: RunPosition;
      readonly strategy?: MigrationStrategy["kind"];
    }
  | { readonly kind: "unfit"; readonly reason: string }
  /** The Axon of its version completes it. */
  | { readonly kind: "another"; readonly axon: AxonDefinition }
  /** Its log cannot be read. */
  | { readonly kind: "damaged"; readonly cause: unknown };

interface FitProgram {
  readonly name: string;
  /** The nodes at which a run can begin. */
  readonly entries: { readonly has: (node: string) => boolean };
  readonly compensations: { readonly has: (node: string) => boolean };
}

export function fitOf(program: FitProgram, journal: JournalOptions, log: RunLog): Fit {
  const { name } = program;
  if (log.axon !== name) return unfit(`Axon '${log.axon}' began it, not '${name}'`);
  const fit = log.version === journal.version ? fitting(log.position) : migrated(journal, log);
  if (fit.kind !== "fits") return fit;
  const { node } = fit.position;
  if (!program.entries.has(node)) return unfit(`Axon '${name}' has no node '${node}' where it could go on`);
  const lost = log.completed.find((step) => !program.compensations.has(step.node));
  if (lost === undefined) return fit;
  return unfit(`Axon '${name}' can no longer undo '${lost.node}', which the run has completed`);
}

const fitting = (position: RunPosition, strategy?: MigrationStrategy["kind"]): Fit => ({
  ...{ kind: "fits", position },
  ...(strategy !== undefined && { strategy }),
});
const unfit = (reason: string): Fit => ({ kind: "unfit", reason });

function migrated(journal: JournalOptions, log: RunLog): Fit {
  const { node } = log.position;
  const { version, persistence } = journal;
  const found = persistence.migrations.find(
    ({ from, strategy }) =>
      from === log.version && (strategy.kind !== "migrate-active-node" || strategy.oldNode === node),
  );
  const strategy = found?.strategy ?? { kind: "fail" };
  switch (strategy.kind) {
    case "fail":
      return unfit(`Version '${log.version}' began it, and no migration leads it to '${version}'`);
    case "resume-from-start":
      return fitting(log.start, strategy.kind);
    case "migrate-active-node":
      return moved(journal, log, strategy.newNode, strategy);
    case "fallback-to-node":
      return moved(journal, log, strategy.node, strategy);
    case "complete-on-old-version": {
      const old = strategy.axon.definition;
      if (old.version === log.version) return { kind: "another", axon: old };
      return unfit(`Version '${log.version}' began it, and the old Axon is of '${old.version}'`);
    }
  }
}

function moved(
  { persistence }: JournalOptions,
  { position }: RunLog,
  node: string,
  { kind, mapInput }: Extract<MigrationStrategy, { readonly mapInput: MapInput }>,
): Fit {
  let given: unknown;
  try {
    given = decode(position.input);
  } catch (cause) {
    return { kind: "damaged", cause };
  }
  try {
    const input = encode(mapInput(given, position.node), "input", persistence.maxValueChars);
    return fitting({ ...position, node, input }, kind);
  } catch (cause) {
    return unfit(`Its input at '${position.node}' could not be mapped: ${wordsFor(cause)}`);
  }
}

/** Any value can be thrown, also one that throws when it is read. */
function wordsFor(cause: unknown): string {
  const words = encodeError(cause);
  return typeof words === "string" ? words : JSON.stringify(words);
}
