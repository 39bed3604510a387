// Lines of the stores in SQL, but for runs. mutate.mjs says what a row is.

const SESSIONS = "native-tests/store/sql/sql-sessions.test.ts";
const LOCKS = "native-tests/store/sql/sql-locks.test.ts";
const IDEMPOTENCY = "native-tests/store/sql/sql-idempotency.test.ts";
const LETTERS = "native-tests/store/sql/sql-dead-letters.test.ts";

export default [
  [
    "sql sessions: destroyAll waits for those that are being added",
    "src/store/sql/sql-sessions.ts",
    "...waits, { sql, values: [owner] }",
    "...waits.slice(1), { sql, values: [owner] }",
    SESSIONS,
  ],
  [
    "sql: rows that another transaction holds are skipped",
    "src/store/sql/delete-some.ts",
    '"FOR UPDATE SKIP LOCKED"',
    '""',
    SESSIONS,
  ],
  [
    "postgres: a connection in use that is cut does not end the process",
    "src/store/postgres/postgres-database.ts",
    'pool.on("connect", (client) => client.on("error", () => {}));',
    "",
    "native-tests/store/postgres/postgres-database.test.ts",
  ],
  [
    "sql locks: tokens grow",
    "src/store/sql/sql-locks.ts",
    "SET token = ${counter}.token + 1",
    "SET token = ${counter}.token",
    LOCKS,
  ],
  [
    "sql locks: a held lock undoes its draw",
    "src/store/sql/sql-locks.ts",
    "Math.ceil(ttlMs)], must: true }",
    "Math.ceil(ttlMs)] }",
    LOCKS,
  ],
  [
    "sql: a long or unstorable key is a hash",
    "src/store/sql/column-key.ts",
    "!/[\\0\\p{Surrogate}]/u.test(text)",
    "true",
    LOCKS,
  ],
  [
    "sql idempotency: a late run keeps its answer",
    "src/store/sql/sql-idempotency.ts",
    "const LATE_MS = 3_600_000",
    "const LATE_MS = 0",
    IDEMPOTENCY,
  ],
  [
    "sql letters: an unreadable letter is listed",
    "src/store/sql/sql-dead-letters.ts",
    "      const what = `(not readable",
    "      if (error) throw error;\n      const what = `(not readable",
    LETTERS,
  ],
  [
    "sql letters: parts that are not durable are told apart",
    "src/store/sql/letter-text.ts",
    "levels === 0 || !(error",
    "levels > 0 || !(error",
    LETTERS,
  ],
];
