// Attacks on an audit log by somebody who can write its tables: what each does, and where it shows.

import { createHash } from "node:crypto";

import { type AuditEvent, NO_HASH } from "#core/ports/audit-event.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import type { SqlDatabase, SqlValue } from "#store/sql/sql-database.js";

export interface Forger {
  readonly database: SqlDatabase;
  /** Table of events and table of checkpoints. */
  readonly audit: string;
  readonly checkpoint: string;
  readonly run: (sql: string, ...values: readonly SqlValue[]) => Promise<void>;
  /** Computes the hashes of the events of these positions anew, each linked to the one before. */
  readonly recompute: (first: number, last: number) => Promise<void>;
  readonly columns: string;
}

interface Attack {
  readonly name: string;
  readonly run: (forger: Forger) => Promise<unknown>;
  /** Position of an event, or number of a checkpoint, at which it is to be told; absent where it shows only in the anchor. */
  readonly at?: number;
  readonly kind: string;
}

export function forgerOf(database: SqlDatabase): Forger {
  const { audit, audit_checkpoint: checkpoint } = database.tables;
  const run: Forger["run"] = async (sql, ...values) => {
    await database.write([{ sql, values }]);
  };
  const recompute = async (first: number, last: number): Promise<void> => {
    const columns = "seq, id, at, actor, action, target, intent, metadata, prev_hash, hash";
    const rows = await database.read(`SELECT ${columns} FROM ${audit} ORDER BY seq`, []);
    let previous = NO_HASH;
    for (const row of rows) {
      const seq = Number(row["seq"]);
      if (seq >= first && seq <= last) {
        const {
          id,
          at: timestamp,
          actor,
          action,
          target,
          intent,
          metadata,
        } = row as unknown as Record<string, string>;
        const event = {
          id,
          timestamp,
          actor,
          action,
          target,
          ...(intent !== null && { intent }),
          metadata: JSON.parse(metadata as string),
          prev_hash: previous,
        };
        const hash = createHash("sha256")
          .update(canonicalJson(event as unknown as Json))
          .digest("hex");
        await run(`UPDATE ${audit} SET prev_hash = $1, hash = $2 WHERE seq = $3`, previous, hash, seq);
        previous = hash;
      } else previous = String(row["hash"]);
    }
  };
  return {
    database,
    audit,
    checkpoint,
    run,
    recompute,
    columns: "id, at, actor, action, target, intent, metadata, prev_hash, hash",
  };
}

const set =
  (column: keyof AuditEvent | "at", value: string, at = 25) =>
  ({ run, audit }: Forger) =>
    run(`UPDATE ${audit} SET ${column} = $1 WHERE seq = ${at}`, value);

/** Swaps two rows, but for their positions. */
async function swap({ run, audit }: Forger, one: number, other: number): Promise<void> {
  for (const [from, to] of [
    [one, -1],
    [other, one],
    [-1, other],
  ] as const)
    await run(`UPDATE ${audit} SET seq = ${to} WHERE seq = ${from}`);
}

async function shiftUp({ run, audit }: Forger, from: number): Promise<void> {
  await run(`UPDATE ${audit} SET seq = -seq WHERE seq >= ${from}`);
  await run(`UPDATE ${audit} SET seq = 1 - seq WHERE seq < 0`);
}

async function shiftDown({ run, audit }: Forger, from: number): Promise<void> {
  await run(`UPDATE ${audit} SET seq = -seq WHERE seq > ${from}`);
  await run(`UPDATE ${audit} SET seq = -1 - seq WHERE seq < 0`);
}

const copy = ({ run, audit, columns }: Forger, of: number, to: number): Promise<void> =>
  run(
    `INSERT INTO ${audit} (seq, ${columns}) SELECT ${to}, id || 'x', ${columns.slice(4)} FROM ${audit} WHERE seq = ${of}`,
  );

/** On a log of 60 events with a checkpoint after each 10, the newest of which is anchored. */
export const attacks: readonly Attack[] = [
  { name: "edits an actor", run: set("actor", "mallory"), kind: "edited", at: 25 },
  { name: "edits an action", run: set("action", "read"), kind: "edited", at: 25 },
  { name: "edits a target", run: set("target", "order 8"), kind: "edited", at: 25 },
  { name: "edits an intent", run: set("intent", "none"), kind: "edited", at: 25 },
  {
    name: "removes an intent",
    run: ({ run, audit }) => run(`UPDATE ${audit} SET intent = NULL WHERE seq = 25`),
    kind: "edited",
    at: 25,
  },
  {
    name: "edits a timestamp by a microsecond",
    run: set("at", "2026-01-01T00:00:25.000001Z"),
    kind: "edited",
    at: 25,
  },
  { name: "edits an id", run: set("id", "another"), kind: "edited", at: 25 },
  { name: "edits metadata", run: set("metadata", '{"amount":1}'), kind: "edited", at: 25 },
  {
    name: "adds white space to metadata",
    run: set("metadata", '{ "amount":25}'),
    kind: "unreadable",
    at: 25,
  },
  {
    name: "names a member of metadata twice",
    run: set("metadata", '{"amount":1,"amount":25}'),
    kind: "unreadable",
    at: 25,
  },
  { name: "makes metadata no JSON", run: set("metadata", "{"), kind: "unreadable", at: 25 },
  {
    name: "makes metadata too deep to read",
    run: set("metadata", "[".repeat(60_000)),
    kind: "unreadable",
    at: 25,
  },
  { name: "edits a hash", run: set("hash", "f".repeat(64)), kind: "edited", at: 25 },
  { name: "cuts a hash", run: set("hash", "f".repeat(63)), kind: "edited", at: 25 },
  { name: "edits a link", run: set("prev_hash", "f".repeat(64)), kind: "edited", at: 25 },
  { name: "edits the first event", run: set("actor", "mallory", 1), kind: "edited", at: 1 },
  { name: "edits the last anchored event", run: set("actor", "mallory", 60), kind: "edited", at: 60 },
  {
    name: "edits an event and computes its hash anew",
    run: async (forger) => {
      await set("actor", "mallory")(forger);
      await forger.recompute(25, 25);
    },
    ...{ kind: "broken-link", at: 26 },
  },
  {
    name: "edits an event and computes all hashes behind it anew",
    run: async (forger) => {
      await set("actor", "mallory")(forger);
      await forger.recompute(25, 1000);
    },
    ...{ kind: "recomputed", at: 21 },
  },
  {
    name: "edits the last event of a segment and computes the chain anew",
    run: async (forger) => {
      await set("actor", "mallory", 60)(forger);
      await forger.recompute(60, 1000);
    },
    ...{ kind: "recomputed", at: 51 },
  },
  {
    name: "removes an event",
    run: ({ run, audit }) => run(`DELETE FROM ${audit} WHERE seq = 25`),
    kind: "removed",
    at: 25,
  },
  {
    name: "removes the first events",
    run: ({ run, audit }) => run(`DELETE FROM ${audit} WHERE seq <= 10`),
    kind: "removed",
    at: 1,
  },
  {
    name: "removes a whole segment",
    run: ({ run, audit }) => run(`DELETE FROM ${audit} WHERE seq BETWEEN 21 AND 30`),
    kind: "removed",
    at: 21,
  },
  {
    name: "removes an event and closes the gap",
    run: async (forger) => {
      await forger.run(`DELETE FROM ${forger.audit} WHERE seq = 25`);
      await shiftDown(forger, 25);
    },
    ...{ kind: "broken-link", at: 25 },
  },
  {
    name: "removes an event, closes the gap and computes the chain anew",
    run: async (forger) => {
      await forger.run(`DELETE FROM ${forger.audit} WHERE seq = 25`);
      await shiftDown(forger, 25);
      await forger.recompute(25, 1000);
    },
    ...{ kind: "recomputed", at: 21 },
  },
  {
    name: "cuts the tail",
    run: ({ run, audit }) => run(`DELETE FROM ${audit} WHERE seq > 55`),
    kind: "cut",
    at: 56,
  },
  { name: "empties the table", run: ({ run, audit }) => run(`DELETE FROM ${audit}`), kind: "cut", at: 1 },
  {
    name: "inserts an event in between",
    run: async (forger) => {
      await shiftUp(forger, 26);
      await copy(forger, 25, 26);
    },
    ...{ kind: "edited", at: 26 },
  },
  {
    name: "inserts an event in between and computes the chain anew",
    run: async (forger) => {
      await shiftUp(forger, 26);
      await copy(forger, 25, 26);
      await forger.recompute(26, 1000);
    },
    ...{ kind: "recomputed", at: 21 },
  },
  { name: "inserts an event before the first", run: (forger) => copy(forger, 1, 0), kind: "inserted", at: 0 },
  { name: "swaps two neighbours", run: (forger) => swap(forger, 25, 26), kind: "broken-link", at: 25 },
  { name: "swaps two events far apart", run: (forger) => swap(forger, 5, 45), kind: "broken-link", at: 5 },
  {
    name: "swaps two neighbours and computes the chain anew",
    run: async (forger) => {
      await swap(forger, 25, 26);
      await forger.recompute(25, 1000);
    },
    ...{ kind: "recomputed", at: 21 },
  },
  {
    name: "forks the chain",
    run: async (forger) => {
      await set("prev_hash", "")(forger);
      await forger.run(
        `UPDATE ${forger.audit} SET prev_hash = (SELECT prev_hash FROM ${forger.audit} WHERE seq = 24) WHERE seq = 25`,
      );
    },
    ...{ kind: "fork", at: 25 },
  },
  {
    name: "moves an event far behind",
    run: ({ run, audit }) => run(`UPDATE ${audit} SET seq = 9007199254740000 WHERE seq = 25`),
    kind: "removed",
    at: 25,
  },
  {
    name: "edits a checkpoint",
    run: ({ run, checkpoint }) =>
      run(
        `UPDATE ${checkpoint} SET checkpoint = replace(checkpoint, '"number":3', '"number":4') WHERE number = 3`,
      ),
    kind: "checkpoint",
    at: 3,
  },
  {
    name: "edits the signature of a checkpoint",
    run: ({ run, checkpoint }) =>
      run(
        `UPDATE ${checkpoint} SET checkpoint = replace(checkpoint, '"timestamp":"2', '"timestamp":"1') WHERE number = 3`,
      ),
    kind: "signature",
    at: 3,
  },
  {
    name: "removes a checkpoint in between",
    run: ({ run, checkpoint }) => run(`DELETE FROM ${checkpoint} WHERE number = 3`),
    kind: "checkpoint",
    at: 4,
  },
  {
    name: "makes a checkpoint no JSON",
    run: ({ run, checkpoint }) => run(`UPDATE ${checkpoint} SET checkpoint = 'x' WHERE number = 3`),
    kind: "checkpoint",
    at: 3,
  },
  {
    name: "rolls the log back to an earlier checkpoint",
    run: async ({ run, audit, checkpoint }) => {
      await run(`DELETE FROM ${audit} WHERE seq > 40`);
      await run(`DELETE FROM ${checkpoint} WHERE number > 4`);
    },
    kind: "anchor",
    at: 6,
  },
  {
    name: "empties both tables",
    run: async ({ run, audit, checkpoint }) => {
      await run(`DELETE FROM ${audit}`);
      await run(`DELETE FROM ${checkpoint}`);
    },
    kind: "anchor",
    at: 6,
  },
];
