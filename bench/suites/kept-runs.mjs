import { keptRunsSuite, postgresDatabase, sqliteDatabase } from "../measure/kept-runs.mjs";

const about = {
  measures:
    "three steps and a checkpoint before each, answered when the last one is kept; inputs of 130 bytes. Each arm is a process of its own.",
  leavesOut:
    "HTTP, undoing, resuming, reading logs, servers across a network, disks that are slower than this one.",
};

export const keptOnSqlite = keptRunsSuite({
  ...about,
  name: "kept-runs-sqlite",
  title: "Kept runs on SQLite, 50 at once",
  database: sqliteDatabase,
  arms: [
    { name: "one commit an append", program: "ours.mjs", args: ["50", "each"] },
    { name: "ours", ours: true, program: "ours.mjs", args: ["50"] },
  ],
  bars: [{ arm: "ours", atLeast: 5, aim: 9 }],
});

export const keptEncrypted = keptRunsSuite({
  ...about,
  name: "kept-runs-encrypted",
  title: "Kept runs on SQLite, encrypted, 50 at once",
  database: sqliteDatabase,
  arms: [
    { name: "plain", program: "ours.mjs", args: ["50"] },
    { name: "encrypted", ours: true, program: "ours.mjs", args: ["50", "encrypted"] },
  ],
  bars: [{ arm: "encrypted", atLeast: 0.8, aim: 0.95 }],
});

const onPostgres = (concurrency, bars) => ({
  ...about,
  database: postgresDatabase,
  arms: [
    { name: "DBOS", program: "dbos.mjs", args: [concurrency] },
    { name: "ours", ours: true, program: "ours.mjs", args: [concurrency] },
  ],
  bars: [{ arm: "ours", ...bars }],
});

export const keptOnPostgres = keptRunsSuite({
  ...onPostgres("50", { atLeast: 10, aim: 18 }),
  name: "kept-runs-postgres",
  title: "Kept runs on PostgreSQL, 50 at once",
});

export const keptInTurn = keptRunsSuite({
  ...onPostgres("1", { atLeast: 3, aim: 4 }),
  name: "kept-runs-in-turn",
  title: "Kept runs on PostgreSQL, one after another",
});
