// The columns of the audit log, and the statements that append to it.

import { NO_HASH } from "#core/ports/audit-event.js";
import type { AuditAppend, Tables } from "./sql-database.js";

/** The columns of an event beside its link, in the order of the table, and the names in an append. */
export const AUDIT_COLUMNS: readonly (keyof AuditAppend)[] = [
  ...(["id", "at", "actor", "action", "target", "intent", "metadata"] as const),
];

/** What an append gives, in the order of the parameters of PostgreSQL's function. */
export const AUDIT_APPEND: readonly (keyof AuditAppend)[] = [...AUDIT_COLUMNS, "before", "behind"];

/** The function of PostgreSQL that appends to the table. */
export const auditAppendOf = (audit: string): string => audit.replace(/"$/, '_append"');

export const AUDIT_ROW = `seq, ${AUDIT_COLUMNS.join(", ")}, prev_hash, hash`;

/** SQLite's texts may have a NUL, behind which nothing is read: PostgreSQL's have none. */
const TEXTS = AUDIT_ROW.split(", ").map((column) => `coalesce(${column}, '')`);

/** A row as it is read. */
export const auditRead = (dialect: string): string =>
  dialect === "sqlite" ? `${AUDIT_ROW}, instr(${TEXTS.join(" || ")}, char(0)) AS nul` : AUDIT_ROW;

/** Of an append that kept nothing. */
export const UNKEPT =
  "the table of the audit log did not keep an event: a trigger or a rule of it refused the row";

export interface AuditSql {
  /** The event of an id. */
  readonly kept: string;
  /** `seq` and `hash` of the newest event. */
  readonly head: string;
  readonly insert: string;
  /** Finds the inserted row, by the same parameters: RETURNING gives it before a trigger deletes it. */
  readonly inserted: string;
  /** What the first event follows. */
  readonly noHash: string;
  /** Of an insert that inserted nothing. */
  readonly unkept: string;
  /** Of a newest event that has no position. */
  readonly unplaced: string;
}

export const auditSql = ({ audit }: Tables): AuditSql => ({
  kept: `SELECT ${auditRead("sqlite")} FROM ${audit} WHERE id = $1`,
  head: `SELECT seq, hash FROM ${audit} ORDER BY seq DESC LIMIT 1`,
  insert: `INSERT INTO ${audit} (${AUDIT_ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  inserted: `SELECT 1 AS found FROM ${audit} WHERE ${AUDIT_ROW.replaceAll(",", " IS ? AND")} IS ?`,
  noHash: NO_HASH,
  unkept: UNKEPT,
  unplaced: 'the newest row of the audit log has no position: run "framework audit verify"',
});
