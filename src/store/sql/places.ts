// Where a store keeps the texts that pass its codec. A place names the row by what never changes in
// it, so that a text that was moved to another row is told from the one that belongs there. It does
// not name the service: keys and ids of services differ.

import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Codec, Place } from "#core/ports/codec.js";

export const entriesPlace = (run: string, known: number): Place => ({
  table: "run_part",
  field: "entries",
  row: `${known} ${run}`,
});

export const runPlace = (field: "cancel" | "unfit", run: string): Place => ({
  table: "run",
  field,
  row: run,
});

export const letterPlace = (id: string): Place => ({ table: "letter", field: "letter", row: id });

/** The key of a session is replaced at each login. `owner` is the hash, in whatever form the row has it. */
export const sessionPlace = (field: "login" | "data", owner: string, createdAt: number): Place => ({
  table: "session",
  field,
  row: `${createdAt} ${owner}`,
});

export const answerPlace = (key: string): Place => ({ table: "idempotency", field: "answer", row: key });

export const requestPlace = (field: "reason" | "answer", id: string): Place => ({
  table: "request",
  field,
  row: id,
});

/** A text with the id of its key, for a column that has no other column for it. */
export function encodedPair(codec: Codec, text: string, place: Place): string {
  const encoded = codec.encode(text, place);
  return JSON.stringify([encoded.text, encoded.keyId]);
}

export function decodedPair(codec: Codec, kept: string, place: Place): MaybePromise<string> {
  const [text, keyId] = JSON.parse(kept) as [string, string | null];
  return codec.decode(text, keyId, place);
}

/** The hash of a subject as a column has it. */
export const subjectColumn = (codec: Codec, hash: string): string => codec.keys?.subject(hash) ?? hash;

export const subjectForms = (codec: Codec, hash: string): readonly string[] =>
  codec.keys?.subjects(hash) ?? [hash];

export const subjectHash = (codec: Codec, kept: string): MaybePromise<string> =>
  codec.keys?.hashOf(kept) ?? kept;
