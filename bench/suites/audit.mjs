import { keptRunsSuite, postgresDatabase, sqliteDatabase } from "../measure/kept-runs.mjs";

const about = {
  unit: "events/s",
  measures: "events of about 350 bytes, linked and committed before they are acknowledged, 200 at once.",
  leavesOut:
    "checkpoints and anchors, writers of other processes, servers across a network, disks that are slower than this one.",
  arms: [
    { name: "one commit an event", program: "audit.mjs", args: ["200", "each"] },
    { name: "ours", ours: true, program: "audit.mjs", args: ["200"] },
  ],
  bars: [{ arm: "ours", atLeast: 5, aim: 10 }],
};

export const auditOnSqlite = keptRunsSuite({
  ...about,
  name: "audit-sqlite",
  title: "An audit log in SQLite",
  database: sqliteDatabase,
});

export const auditOnPostgres = keptRunsSuite({
  ...about,
  name: "audit-postgres",
  title: "An audit log in PostgreSQL",
  database: postgresDatabase,
});
