// Lines of the stores in SQL, but for runs. mutate.mjs says what a row is.

const SESSIONS = "native-tests/store/sql-sessions.test.ts";
const LOCKS = "native-tests/store/sql-locks.test.ts";
const IDEMPOTENCY = "native-tests/store/sql-idempotency.test.ts";
const LETTERS = "native-tests/store/sql-dead-letters.test.ts";

export default [
  [
    "sql sessions: destroyAll waits for those that are being added",
    "src/store/sql-sessions.ts",
    "...waits, { sql, values: [owner] }",
    "...waits.slice(1), { sql, values: [owner] }",
    SESSIONS,
  ],
  [
    "sql: rows that another transaction holds are skipped",
    "src/store/delete-some.ts",
    '"FOR UPDATE SKIP LOCKED"',
    '""',
    SESSIONS,
  ],
  [
    "postgres: a connection in use that is cut does not end the process",
    "src/store/postgres-database.ts",
    'pool.on("connect", (client) => client.on("error", () => {}));',
    "",
    "native-tests/store/postgres-database.test.ts",
  ],
  [
    "sql locks: tokens grow",
    "src/store/sql-locks.ts",
    "SET token = ${counter}.token + 1",
    "SET token = ${counter}.token",
    LOCKS,
  ],
  [
    "sql locks: a held lock undoes its draw",
    "src/store/sql-locks.ts",
    "Math.ceil(ttlMs)], must: true }",
    "Math.ceil(ttlMs)] }",
    LOCKS,
  ],
  [
    "sql: a long or unstorable key is a hash",
    "src/store/column-key.ts",
    "!/[\\0\\p{Surrogate}]/u.test(text)",
    "true",
    LOCKS,
  ],
  [
    "sql idempotency: a late run keeps its answer",
    "src/store/sql-idempotency.ts",
    "const LATE_MS = 3_600_000",
    "const LATE_MS = 0",
    IDEMPOTENCY,
  ],
  [
    "sql letters: an unreadable letter is listed",
    "src/store/sql-dead-letters.ts",
    "      const what = `(not readable",
    "      if (error) throw error;\n      const what = `(not readable",
    LETTERS,
  ],
  [
    "sql letters: parts that are not durable are told apart",
    "src/store/letter-text.ts",
    "levels === 0 || !(error",
    "levels > 0 || !(error",
    LETTERS,
  ],
];
