// Where a store keeps the texts that pass its codec. A place names the row by what never changes in
// it, so that a text that was moved to another row is told from the one that belongs there. It does
// not name the service: keys and ids of services differ.

import { hash } from "node:crypto";

import type { LabelFilter } from "#core/bus/label.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { FrameworkError } from "#core/errors.js";
import type { Codec, Place } from "#core/ports/codec.js";
import type { Row, TableName } from "./sql-database.js";

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

export const labelPlace = (run: string, name: string): Place => ({
  table: "run_label",
  field: "kept",
  row: `${name} ${run}`,
});

/** By the id of the signal in its row: its number is known once it is kept. */
export const signalPlace = (run: string, sid: string): Place => ({
  table: "run_signal",
  field: "payload",
  row: JSON.stringify([sid, run]),
});

export const letterPlace = (id: string): Place => ({ table: "letter", field: "letter", row: id });

/** The key of a session is replaced at each login. `owner` is the hash, not its form in the row. */
export const sessionPlace = (field: "login" | "data", owner: string, createdAt: number): Place => ({
  table: "session",
  field,
  row: `${createdAt} ${owner}`,
});

export const answerPlace = (key: string): Place => ({ table: "idempotency", field: "answer", row: key });

export const requestPlace = (field: "reason" | "payload" | "answer", id: string): Place => ({
  table: "request",
  field,
  row: id,
});

export const secretPlace = (pseudonym: string): Place => ({
  ...{ table: "subject_key", field: "secret", row: pseudonym },
});

/** A text with the id of its key, for a column that has no other column for it. */
export function encodedPair(codec: Codec, text: string, place: Place): string {
  const encoded = codec.encode(text, place);
  return JSON.stringify([encoded.text, encoded.keyId]);
}

export function decodedPair(codec: Codec, kept: string, place: Place): MaybePromise<string> {
  const [text, keyId] = pairIn(kept, place);
  return codec.decode(text, keyId, place);
}

/** Its error names the place. One of JSON.parse would have a part of the text. */
export function pairIn(kept: string, { table, field, row }: Place): readonly [string, string | null] {
  try {
    const [text, keyId] = JSON.parse(kept) as readonly unknown[];
    if (typeof text === "string" && (typeof keyId === "string" || keyId === null)) return [text, keyId];
  } catch {}
  throw new FrameworkError("ENCRYPTED_TEXT_INVALID", `table ${table}, ${field} of '${row}': it was changed`);
}

/** The hash of a subject as a column has it. */
export const subjectColumn = (codec: Codec, hash: string): string => codec.keys?.subject(hash) ?? hash;

export const subjectForms = (codec: Codec, hash: string): readonly string[] =>
  codec.keys?.subjects(hash) ?? [hash];

export const subjectHash = (codec: Codec, kept: string): MaybePromise<string> =>
  codec.keys?.hashOf(kept) ?? kept;

/** The hash by which runs with a label are found. Rows have it in the form of `subjectColumn`. */
export const labelHash = ({ name, value }: LabelFilter): string =>
  hash("sha256", JSON.stringify([name, value]), "base64url");

/** A column of texts, or of the hashes of subjects. */
export interface KeptColumn {
  readonly table: TableName;
  readonly column: string;
  /** A unique key of the table, by which a walk goes on. */
  readonly key: readonly string[];
}

export interface TextColumn extends KeptColumn {
  /** The column of the key id. Absent: the text is a pair, see `encodedPair`. */
  readonly keyId?: string;
  /** Further columns that `place` needs. `id` of a part, label or signal is that of its run. */
  readonly needs: readonly string[];
  readonly place: (row: Row, codec: Codec) => MaybePromise<Place>;
}

const ofSession = (field: "login" | "data", keyId: string): TextColumn => ({
  ...{ table: "session", column: field, keyId, key: ["key"], needs: ["owner", "created_at"] },
  place: async ({ owner, created_at: createdAt }, codec) =>
    sessionPlace(field, await subjectHash(codec, String(owner)), Number(createdAt)),
});

const byId = (table: TableName, column: string, place: (id: string) => Place): TextColumn => ({
  ...{ table, column, key: ["seq"], needs: ["id"], place: ({ id }) => place(String(id)) },
});

/** Each column that passes the codec. */
export const TEXT_COLUMNS: readonly TextColumn[] = [
  {
    ...{ table: "run_part", column: "entries", keyId: "key_id", key: ["run", "known"], needs: ["id"] },
    place: ({ id, known }) => entriesPlace(String(id), Number(known)),
  },
  byId("run", "cancel", (id) => runPlace("cancel", id)),
  byId("run", "unfit", (id) => runPlace("unfit", id)),
  {
    ...{ table: "run_label", column: "kept", key: ["run", "name"], needs: ["id"] },
    place: ({ id, name }) => labelPlace(String(id), String(name)),
  },
  {
    ...{
      table: "run_signal",
      column: "payload",
      keyId: "key_id",
      key: ["run", "number"],
      needs: ["id", "sid"],
    },
    place: ({ id, sid }) => signalPlace(String(id), String(sid)),
  },
  { ...byId("letter", "letter", letterPlace), keyId: "key_id" },
  ofSession("login", "key_id"),
  ofSession("data", "data_key_id"),
  {
    ...{ table: "idempotency", column: "answer", keyId: "key_id", key: ["key"], needs: [] },
    place: ({ key }) => answerPlace(String(key)),
  },
  {
    ...{ table: "subject_key", column: "secret", keyId: "key_id", key: ["pseudonym"], needs: [] },
    place: ({ pseudonym }) => secretPlace(String(pseudonym)),
  },
  byId("request", "reason", (id) => requestPlace("reason", id)),
  byId("request", "payload", (id) => requestPlace("payload", id)),
  byId("request", "answer", (id) => requestPlace("answer", id)),
];

/** Each column with the hash of a subject or a label, in the form of `subjectColumn`. */
export const SUBJECT_COLUMNS: readonly KeptColumn[] = [
  { table: "run", column: "subject", key: ["seq"] },
  { table: "run_label", column: "term", key: ["run", "name"] },
  { table: "letter", column: "subject", key: ["seq"] },
  { table: "session", column: "owner", key: ["key"] },
  { table: "idempotency", column: "subject", key: ["key"] },
];
