import { FrameworkError } from "#core/errors.js";
import type { AnyAxon } from "../axon/axon-types.js";

/** What becomes of a run that another version of its Axon began. */
export type MigrationStrategy =
  | { readonly kind: "fail" }
  | {
      readonly kind: "migrate-active-node";
      readonly oldNode: string;
      readonly newNode: string;
      readonly mapInput: MapInput;
    }
  | { readonly kind: "fallback-to-node"; readonly node: string; readonly mapInput: MapInput }
  | { readonly kind: "resume-from-start" }
  | { readonly kind: "complete-on-old-version"; readonly axon: AnyAxon };

/** Makes of what the old step would have got what the new one takes. */
export type MapInput = (input: unknown, oldNode: string) => unknown;

/** What becomes of the runs of one version. Of several that fit a run the first is taken. */
export interface Migration {
  /** The version that began them. */
  readonly from: string;
  readonly strategy: MigrationStrategy;
}

const same: MapInput = (input) => input;

export const MigrationStrategy = Object.freeze({
  /** It stays where it is: resuming it is a RUN_INCOMPATIBLE fault. The default. */
  fail(): MigrationStrategy {
    return Object.freeze({ kind: "fail" });
  },

  /** A run that was about to run `oldNode` goes on at `newNode`. Others are left to the next migration. */
  migrateActiveNode(oldNode: string, newNode: string, mapInput: MapInput = same): MigrationStrategy {
    return Object.freeze({ kind: "migrate-active-node", oldNode, newNode, mapInput });
  },

  /** A run goes on at `node`, wherever it was. */
  fallbackToNode(node: string, mapInput: MapInput = same): MigrationStrategy {
    return Object.freeze({ kind: "fallback-to-node", node, mapInput });
  },

  /** A run begins again, with the input that it began with. What it completed counts as completed still. */
  resumeFromStart(): MigrationStrategy {
    return Object.freeze({ kind: "resume-from-start" });
  },

  /** A run is brought to its end by the Axon that began it, which has the same store. */
  completeOnOldVersion(axon: AnyAxon): MigrationStrategy {
    if (axon?.definition?.persistence === undefined)
      throw new FrameworkError(
        "CONFIG_INVALID",
        "MigrationStrategy.completeOnOldVersion takes the old Axon, with its withPersistenceStore",
      );
    return Object.freeze({ kind: "complete-on-old-version", axon });
  },
});
