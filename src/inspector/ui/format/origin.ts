// Texts and links for what a run continues.

import type { TraceRow } from "../../api/traces.js";

type Origin = NonNullable<TraceRow["goes_on"]>;

/** Short form for tables. */
export const originLabel = ({ kind }: Origin): string => LABELS[kind];

export const originText = ({ kind }: Origin): string => TEXTS[kind];

const LABELS = { redrive: "re-drive", resume: "resumed", rerun: "run again" } as const;
const TEXTS = {
  redrive: "Re-drive of dead letter",
  resume: "Resumed durable run",
  rerun: "Run again from a step of run",
} as const;

/** Path and parameters of a link to the origin. */
export const originPlace = ({ kind, id }: Origin) =>
  kind === "redrive"
    ? { path: ["dead"], params: { letter: id } }
    : { path: [kind === "resume" ? "kept" : "runs", id] };
