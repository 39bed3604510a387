// A record of processing as text for a terminal, as Markdown, and as data.

import { aligned } from "#config/aligned.js";
import { visible } from "#core/wire/visible-text.js";
import { codeSpan, counted } from "#drift/report.js";
import type { RecordEntry, RecordRow } from "./record.js";

const WAYS: Readonly<Record<RecordRow["direction"], string>> = {
  in: "comes in",
  out: "goes out",
  kept: "is kept",
  sent: "is sent",
  logged: "is logged",
  audited: "is audited",
};

/** What no declaration tells, of any program. */
const UNKNOWN = [
  "texts that steps compose: console, bus.log, messages of errors, details of problems",
  "what functions send by other means than a Synapse or an event",
  "fields that no schema marks: docs/compliance.md tells how to find them",
] as const;

export function recordText(entries: readonly RecordEntry[]): string {
  const parts = entries.map((entry) => {
    const lines = aligned(entry.rows.map(cellsOf)).map((line) => `  ${visible(line)}\n`);
    const none = "  no marked field is declared\n";
    return `${visible(headOf(entry))}\n${lines.join("") || none}\n`;
  });
  return `${parts.join("")}Unknown everywhere:\n${UNKNOWN.map((text) => `  ${text}\n`).join("")}\n${summaryOf(entries)}\n`;
}

/** "POST /orders (place-order, src/order.ts:12): Orders what there is. Callers: anyone". */
function headOf(entry: RecordEntry): string {
  const { mount, axon, purpose, location } = entry;
  const at = location === undefined ? "" : `, ${placeOf(entry)}`;
  return `${mount} (${axon}${at})${purpose === undefined ? "" : `: ${purpose}`}. Callers: ${callersOf(entry)}`;
}

const callersOf = ({ callers, hasSubject }: RecordEntry): string =>
  `${callers ?? "anyone"}${hasSubject ? "; data is kept under its subject" : ""}`;

const cellsOf = (row: RecordRow): readonly string[] => [
  WAYS[row.direction],
  row.place,
  row.fields.join(", "),
  levelText(row),
  row.certainty,
  keptText(row) || "-",
  placeOf(row),
];

const levelText = ({ level, categories }: RecordRow): string =>
  [level ?? "no level", ...categories].join(", ");

const keptText = ({ keptFor, isEncrypted }: RecordRow): string =>
  keptFor === undefined ? "" : `${keptFor}, ${isEncrypted === true ? "encrypted" : "not encrypted"}`;

export const placeOf = ({ location }: Pick<RecordRow, "location">): string =>
  location === undefined ? "" : `${location.file}:${location.line}`;

function summaryOf(entries: readonly RecordEntry[]): string {
  const rows = entries.flatMap((entry) => entry.rows);
  const by = (["declared", "inferred", "unknown"] as const).map(
    (certainty) => `${rows.filter((row) => row.certainty === certainty).length} ${certainty}`,
  );
  return `${counted(entries.length, "route or Axon", "routes and Axons")}, ${counted(rows.length, "row")}: ${by.join(", ")}`;
}

export function recordMarkdown(entries: readonly RecordEntry[]): string {
  const parts = entries.map((entry) => {
    const at = entry.location === undefined ? "" : `, ${codeSpan(placeOf(entry))}`;
    const purpose = entry.purpose === undefined ? "" : `Purpose: ${codeSpan(entry.purpose)}  \n`;
    const head = `## ${codeSpan(entry.mount)}\n\n${purpose}Axon: ${codeSpan(entry.axon)}${at}  \nCallers: ${codeSpan(callersOf(entry))}\n\n`;
    if (entry.rows.length === 0) return `${head}No marked field is declared.\n`;
    const rows = entry.rows.map((row) => {
      const cells = [row.place, row.fields.join(", "), levelText(row), keptText(row)];
      const told = cells.map((cell) => (cell === "" ? "" : codeSpan(cell)));
      return `| ${WAYS[row.direction]} | ${told.join(" | ")} | ${row.certainty} | ${codeSpan(placeOf(row))} |\n`;
    });
    return `${head}| | where | fields | level, category | kept for | certainty | place |\n|---|---|---|---|---|---|---|\n${rows.join("")}`;
  });
  return `# Record of processing\n\n${parts.join("\n")}\n## Unknown everywhere\n\n${UNKNOWN.map((text) => `- ${text}\n`).join("")}\n${summaryOf(entries)}\n`;
}

export const recordData = (entries: readonly RecordEntry[]): object => ({
  entries: entries.map(({ mount, axon, purpose, callers, hasSubject, location, rows }) => ({
    mount,
    axon,
    purpose: purpose ?? null,
    callers: callers ?? null,
    has_subject: hasSubject,
    location: location ?? null,
    rows: rows.map(rowData),
  })),
  unknown_everywhere: UNKNOWN,
});

export const rowData = (row: RecordRow): object => ({
  direction: row.direction,
  place: row.place,
  fields: row.fields,
  level: row.level ?? null,
  categories: row.categories,
  certainty: row.certainty,
  kept_for: row.keptFor ?? null,
  encrypted: row.isEncrypted ?? null,
  location: row.location ?? null,
});
