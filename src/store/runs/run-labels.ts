// The labels of kept runs: a row each, found by a hash that is keyed where the store is encrypted.

import type { LabelFilter, RunLabels } from "#core/bus/label.js";
import type { Codec, Place } from "#core/ports/codec.js";
import {
  decodedPair,
  encodedPair,
  labelHash,
  labelPlace,
  subjectColumn,
  subjectForms,
} from "../sql/places.js";
import type { LabelRow, Row, SqlDatabase } from "../sql/sql-database.js";

export const labelRows = (codec: Codec, id: string, labels: RunLabels): readonly LabelRow[] =>
  Object.entries(labels).map(([name, value]) => ({
    name,
    term: subjectColumn(codec, labelHash({ name, value })),
    kept: encodedPair(codec, JSON.stringify(value), labelPlace(id, name)),
  }));

/** Every form in which rows may have the hash of the label. */
export const termFormsOf = (codec: Codec, label: LabelFilter): readonly string[] =>
  subjectForms(codec, labelHash(label));

/** The same as a JSON array. */
export const termsOf = (codec: Codec, label: LabelFilter): string =>
  JSON.stringify(termFormsOf(codec, label));

/** The labels of those of the runs that have any, by their `seq`. */
export async function labelsOf(
  database: SqlDatabase,
  codec: Codec,
  runs: readonly Row[],
): Promise<ReadonlyMap<string, RunLabels>> {
  const labelled = runs.filter((row) => Number(row["has_labels"]) === 1);
  const found = new Map<string, Record<string, string>>();
  if (labelled.length === 0) return found;
  const ids = new Map(labelled.map(({ seq, id }) => [String(seq), String(id)]));
  const rows = await database.read(
    `WITH seqs (seq) AS ${database.dialect.listed("$1")}
      SELECT l.run, l.name, l.kept FROM ${database.tables.run_label} l
      WHERE l.run IN (SELECT CAST(seq AS bigint) FROM seqs) ORDER BY l.run, l.name`,
    [JSON.stringify([...ids.keys()])],
  );
  const read = async ({ run, name, kept }: Row): Promise<void> => {
    const [seq, label] = [String(run), String(name)];
    const value = await decoded(codec, String(kept), labelPlace(ids.get(seq) ?? "", label));
    found.set(seq, { ...found.get(seq), [label]: value });
  };
  await Promise.all(rows.map(read));
  return found;
}

/** One that cannot be decoded must not hide the run. */
async function decoded(codec: Codec, kept: string, place: Place): Promise<string> {
  try {
    // As JSON: encryption loses lone surrogates.
    return String(JSON.parse(await decodedPair(codec, kept, place)));
  } catch {
    return "(cannot be decoded)";
  }
}
