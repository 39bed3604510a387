import type { Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { AuditUse } from "#core/ports/audit-use.js";
import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { type Intervention, recorded } from "../run/intervention.js";
import { runOfLetter } from "./kept-redrive.js";
import { claimLetter } from "./letter-claim.js";

export interface Discarding {
  readonly letters: DeadLetterStore;
  /** For letters whose Axon is mounted no more. */
  readonly audit: AuditUse | undefined;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/**
 * Removes a dead letter. "busy": a re-drive of it has not ended. "unrecorded": it could not be recorded,
 * and the audit log of its Axon is set to refuse.
 */
export async function discardLetter(
  { letters, audit, clock, reporter }: Discarding,
  id: string,
  axon: AxonDefinition | undefined,
  by: Intervention,
): Promise<"discarded" | "unknown" | "busy" | "unrecorded"> {
  if ((await letters.get(id)) === undefined) return "unknown";
  const claim = await claimLetter(letters, id, clock);
  if (claim === undefined) return "busy";
  try {
    // Re-driven since.
    const letter = await letters.get(id);
    if (letter === undefined) return "unknown";
    const runs = letter.kind === "step" ? axon?.persistence?.store : undefined;
    const run = runs && (await runOfLetter(runs, letter));
    if (run?.kind === "unfinished" && !run.isFree) return "busy";
    const { axon: name, node, attempts, run_id } = letter;
    const entry = { action: "letter.discard", target: id, metadata: { axon: name, node, attempts, run_id } };
    const of = { axon: name, use: axon === undefined ? audit : axon.audit, clock, reporter };
    if ((await recorded(by, entry, of)) !== undefined) return "unrecorded";
    return (await letters.remove(id)) ? "discarded" : "unknown";
  } finally {
    await claim.end();
  }
}
