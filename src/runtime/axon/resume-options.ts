// How a run is resumed, and by what: a caller, a host, or a host that keeps its log itself.

import type { Bus } from "#core/bus/bus.js";
import type { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { RunOwner } from "../kept/appended.js";
import type { Intervention } from "../run/intervention.js";
import type { LogApart } from "../run/run-journal.js";

export interface ForceOptions {
  /** Takes a run that is at work from its process, which is refused at its next entry. Default false. */
  readonly force?: boolean;
}

export interface ResumeOptions {
  readonly bus?: Bus | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The watchers of this Axon observe the run. Default of `resumeRun`: the given Axon. */
  readonly watched?: AxonDefinition | undefined;
  /** The actor that resumes the run; undefined: a host, automatically. */
  readonly intervention?: Intervention | undefined;
  /** The host that owns the run from now on. */
  readonly by?: RunOwner | undefined;
  /**
   * Whether the log counts the resumption by a host; undefined for one by hand, which resets the
   * count. A run that was resumed `maxResumptions` times (8) without a new checkpoint ends as RUN_STUCK.
   */
  readonly count?: boolean | undefined;
  readonly maxResumptions?: number | undefined;
  /** Also takes a run that is at work: its process is refused at its next entry. */
  readonly force?: boolean | undefined;
  /** Called once this process has the run. */
  readonly claimed?: (() => void) | undefined;
  /** For a host whose store says that the run is due. Without it a run that waits is RUN_WAITING. */
  readonly wakes?: true | undefined;
  /** Resumes the run only if its log still has this number of entries: it was abandoned with them. */
  readonly entries?: number | undefined;
  readonly apart?: KeptApart | undefined;
}

/** A run whose log its host keeps, not the store of its Axon: see Axon.advance. */
interface KeptApart extends LogApart {
  /** The program of an old version that finishes the run. */
  readonly programOf: (axon: AxonDefinition) => Program;
}
