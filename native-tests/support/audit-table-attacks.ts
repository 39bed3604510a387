// Attacks on the table of an audit log that has lost its keys, or has triggers.

import type { Forger } from "./forged-audit.js";

/** Replaces the table by one without keys, with the same rows. */
async function unkeyed({ run, audit, database }: Forger, key?: string): Promise<void> {
  const isPostgres = database.dialect.name === "postgres";
  const copy = isPostgres ? `${audit.slice(0, -1)}_copy"` : '"audit_copy"';
  await run(`CREATE TABLE ${copy} AS SELECT * FROM ${audit}`);
  await run(`DROP TABLE ${audit}${isPostgres ? " CASCADE" : ""}`);
  await run(`ALTER TABLE ${copy} RENAME TO "audit"`);
  if (key !== undefined) await run(`CREATE UNIQUE INDEX audit_key ON ${audit} (${key})`);
}

/** Attacks that only a table without its keys permits, and those on appends. Each is given a log of 150 events of its own. */
export interface TableAttack {
  readonly name: string;
  readonly only?: "sqlite" | "postgres";
  readonly run: (forger: Forger) => Promise<unknown>;
  /** What verification says. */
  readonly says: RegExp;
  /** Whether readers that are no verification meet the row, too. */
  readonly isListed?: true;
}

const forged = ({ run, audit, columns }: Forger, seq: string, of = 150): Promise<void> =>
  run(
    `INSERT INTO ${audit} (seq, ${columns}) SELECT ${seq}, id || 'x', at, 'mallory', ${columns.slice(15)} FROM ${audit} WHERE seq = ${of}`,
  );

export const tableAttacks: readonly TableAttack[] = [
  {
    name: "inserts a row without a position",
    run: async (forger) => {
      if (forger.database.dialect.name === "postgres") await unkeyed(forger);
      await forged(forger, "NULL");
    },
    says: /unreadable|rows have no position|none of the chain/,
    isListed: true,
  },
  {
    name: "inserts a hundred rows without a position",
    run: async (forger) => {
      if (forger.database.dialect.name === "postgres") await unkeyed(forger);
      for (let n = 50; n < 150; n += 1) await forged(forger, "NULL", n);
    },
    says: /unreadable|rows have no position|none of the chain/,
    isListed: true,
  },
  {
    name: "inserts a row whose position is a text",
    only: "sqlite",
    run: (forger) => forged(forger, "'later'"),
    says: /unreadable|rows have no position|none of the chain/,
    isListed: true,
  },
  {
    name: "inserts a row between two positions",
    only: "sqlite",
    run: (forger) => forged(forger, "100.5"),
    says: /unreadable|rows have no position|none of the chain/,
    isListed: true,
  },
  {
    name: "inserts a row whose position is bytes",
    only: "sqlite",
    run: (forger) => forged(forger, "CAST('7' AS BLOB)"),
    says: /unreadable|rows have no position|none of the chain/,
    isListed: true,
  },
  {
    name: "takes the position from a row",
    run: async (forger) => {
      if (forger.database.dialect.name === "postgres") await unkeyed(forger);
      await forger.run(`UPDATE ${forger.audit} SET seq = NULL WHERE seq = 25`);
    },
    says: /event 25 is missing/,
    isListed: true,
  },
  {
    name: "makes the table without keys",
    run: (forger) => unkeyed(forger),
    says: /takes a position twice/,
  },
  {
    name: "makes the table with other texts than before allowed to be NULL",
    run: (forger) => unkeyed(forger, "seq"),
    says: /takes rows without .*actor/,
  },
  {
    name: "inserts a second row at the end of a page",
    run: async (forger) => {
      await unkeyed(forger);
      await forged(forger, "100");
    },
    says: /1 rows have no position, or the one of another row|position 100 is none/,
  },
  {
    name: "inserts a second row at the end of the log",
    run: async (forger) => {
      await unkeyed(forger);
      await forged(forger, "150");
    },
    says: /position 150 is none/,
  },
  {
    name: "inserts 300 rows at one position",
    run: async (forger) => {
      await unkeyed(forger);
      await forger.run(
        `INSERT INTO ${forger.audit} (seq, ${forger.columns}) SELECT 100, b.id || a.id, ${forger.columns.slice(4).replaceAll(/(\w+)/g, "a.$1")} FROM ${forger.audit} a, ${forger.audit} b WHERE b.seq <= 2`,
      );
    },
    says: /rows have no position, or the one of another row|position 100 is none/,
  },
  {
    name: "puts a text behind a NUL of an actor",
    only: "sqlite",
    run: ({ run, audit }) => run(`UPDATE ${audit} SET actor = actor || char(0) || 'and bob' WHERE seq = 25`),
    says: /event 25 was changed: a text of it goes on behind a NUL/,
  },
  {
    name: "puts a text behind a NUL of metadata",
    only: "sqlite",
    run: ({ run, audit }) => run(`UPDATE ${audit} SET metadata = metadata || char(0) || '{}' WHERE seq = 25`),
    says: /event 25 was changed: a text of it goes on behind a NUL/,
  },
  {
    name: "puts a text behind a NUL of a hash",
    only: "sqlite",
    run: ({ run, audit }) => run(`UPDATE ${audit} SET hash = hash || char(0) || 'x' WHERE seq = 150`),
    says: /event 150 was changed: a text of it goes on behind a NUL/,
  },
  {
    name: "makes a text bytes",
    only: "sqlite",
    run: ({ run, audit }) => run(`UPDATE ${audit} SET actor = CAST(actor AS BLOB) WHERE seq = 25`),
    says: /event 25 was changed/,
  },
];

/** Triggers that lose what is appended. */
export const losses: readonly {
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}[] = [
  {
    name: "ignores the insert",
    sqlite: "BEFORE INSERT ON T BEGIN SELECT RAISE(IGNORE); END",
    postgres: "RETURN NULL; END $$; CREATE TRIGGER loss BEFORE INSERT",
  },
  {
    name: "deletes the row after the insert",
    sqlite: "AFTER INSERT ON T BEGIN DELETE FROM T WHERE seq = NEW.seq; END",
    postgres: "DELETE FROM T WHERE seq = NEW.seq; RETURN NULL; END $$; CREATE TRIGGER loss AFTER INSERT",
  },
];
