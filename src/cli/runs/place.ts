// What commands on runs and dead letters work on: the store of the configuration, or a running Inspector.

import type { HostRequest } from "#core/ports/host-requests.js";
import type { RunListFilter } from "#core/ports/run-list.js";
import type { RunStateName } from "#core/ports/run-state.js";
import type { Json } from "#core/wire/json-text.js";
import type { KeptRun } from "#inspector/api/runs.js";
import type { Listed } from "#inspector/runs/run-list.js";

/** A run in a list, as the Inspector's API has it. Times are in milliseconds since 1970. */
export type RunRow = { readonly axon: string } & Omit<Listed["runs"][number], "circuit">;

type Shared = "version" | "state" | "began_at" | "last_at" | "wait" | "owner" | "cancel" | "fault" | "unfit";

/** Values are masked. */
export interface ShownRun extends Pick<KeptRun, Shared | "node" | "labels" | "entries"> {
  readonly run_id: string;
  readonly axon: string;
  /** That of the node at which it is, or with which it began. Absent if it is withheld. */
  readonly input?: Json;
  readonly output?: Json;
  readonly error?: Json;
  readonly bus: { readonly [key: string]: Json };
  /** Steps with a compensation that are not undone. */
  readonly completed: readonly { readonly node: string; readonly input?: Json; readonly output?: Json }[];
  /** Sent, and not taken yet. */
  readonly signals: readonly { readonly name: string; readonly id: string; readonly payload: Json }[];
}

export interface Letter {
  readonly id: string;
  readonly kind: "step" | "compensation";
  readonly axon: string;
  readonly version: string;
  readonly node: string;
  readonly failed_at: number;
  readonly attempts: number;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly error: { readonly code: string | null; readonly title: string };
  /** Of a shown one, masked. */
  readonly values?: { readonly [name: string]: Json };
}

export interface LetterFilter {
  readonly axon?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
}

/** What is to be done, with the run or the letter `target`. */
export type Action = Pick<HostRequest, "kind" | "target" | "reason" | "payload">;

export interface Done {
  readonly isDone: boolean;
  /** "resumed", "refused" and so on. */
  readonly result: string;
  readonly code?: string;
  readonly detail?: string;
  /** The id of the request to the hosts. */
  readonly request?: string;
}

export interface Progressed {
  readonly state: RunStateName;
  readonly entries: number;
  readonly node?: string | undefined;
  /** Of an ended run, masked. */
  readonly output?: Json;
  readonly error?: Json;
}

export interface Place {
  /** `cursor` is null behind the last page. Undefined for a cursor of another list. */
  readonly list: (
    filter: RunListFilter,
    cursor?: string,
  ) => Promise<{ readonly runs: readonly RunRow[]; readonly cursor: string | null } | undefined>;
  readonly show: (id: string) => Promise<ShownRun | undefined>;
  /** Where a run is now; undefined for an unknown one. */
  readonly progressOf: (id: string) => Promise<Progressed | undefined>;
  readonly letters: (filter: LetterFilter) => Promise<readonly Letter[]>;
  readonly letter: (id: string) => Promise<Letter | undefined>;
  /** The run that re-drives this letter, if it is kept. */
  readonly redriveOf: (letter: Letter) => string | undefined;
  readonly act: (action: Action) => Promise<Done>;
}

/** The Axon that `start` names. */
export const startedAxon = ({ payload }: Action): string =>
  String((payload as { readonly axon?: unknown } | undefined)?.axon);
