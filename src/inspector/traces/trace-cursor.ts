// Where a page of runs ended, by the place of its last run. A run's place never changes, so
// that of two pages none has a run of the other, and none that stayed is missing.

export type TraceOrder = "newest" | "slowest";

/** A run's place: its number here, and for the slowest its duration before that. */
export interface Place {
  readonly seq: number;
  readonly durationUs: number;
}

export const comesBefore = (order: TraceOrder, one: Place, other: Place): boolean =>
  order === "slowest" && one.durationUs !== other.durationUs
    ? one.durationUs > other.durationUs
    : one.seq > other.seq;

export const cursorText = (order: TraceOrder, { seq, durationUs }: Place): string =>
  order === "newest" ? `n.${seq}` : `s.${seq}.${durationUs}`;

const NEWEST = /^n\.(\d{1,15})$/;
const SLOWEST = /^s\.(\d{1,15})\.(\d{1,15})$/;

/** Undefined for a text of another order. */
export function parseCursor(order: TraceOrder, text: string): Place | undefined {
  const [, seq, durationUs = "0"] = (order === "newest" ? NEWEST : SLOWEST).exec(text) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), durationUs: Number(durationUs) };
}
