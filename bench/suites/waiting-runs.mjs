// Runs that wait, on PostgreSQL, with fsync. Each arm is a process of its own, over a database of its own.

import { keptRunsSuite, postgresDatabase } from "../measure/kept-runs.mjs";

/** Short rounds end before 500 runs of DBOS do. */
const inFlight = ({ short }) => [short ? "20" : "500"];
/** So many a second, begun so long before they are due. */
const aheadOf = ({ short }) => ["500", short ? "500" : "5000"];
const MANY = 100_000;
const FEW = 1000;

export const waitingRuns = keptRunsSuite({
  name: "waiting-runs",
  title: "A sleep and a signal, 500 in flight",
  measures:
    "runs that sleep for 10 ms, take a signal that is sent as soon as they have begun, and end with its payload; answered when the end is kept. Each arm is a process of its own, on one PostgreSQL with fsync.",
  leavesOut: "long sleeps, signals from other processes, several processes, HTTP.",
  seconds: 3,
  database: postgresDatabase,
  arms: [
    { name: "DBOS", program: "dbos-waiting.mjs", args: inFlight },
    { name: "ours", ours: true, program: "waiting.mjs", args: inFlight },
  ],
  bars: [{ arm: "ours", atLeast: 3, aim: 10 }],
});

export const waitingLate = keptRunsSuite({
  name: "waiting-late",
  title: "How late runs wake up, 500 due a second",
  measures:
    "milliseconds from the time at which a sleeping run is due to its next step, while 500 are due and 500 begin each second; PostgreSQL with fsync.",
  leavesOut: "several processes, due times that fall together (waiting-burst), clocks that differ.",
  unit: "ms, p99",
  better: "lower",
  more: ["p50Ms"],
  seconds: 20,
  database: postgresDatabase,
  arms: [{ name: "500 due a second", ours: true, program: "late.mjs", args: aheadOf }],
  bars: [{ arm: "500 due a second", of: "figure", atMost: 1000, aim: 100, isExact: true }],
});

export const waitingBurst = keptRunsSuite({
  name: "waiting-burst",
  title: "10 000 runs due at once",
  measures:
    "runs a second of three steps: of new runs, 50 at once; and of 10 000 sleeping ones that are due at once, while a new run begins every 20 ms, whose time from its beginning to its end is the last column. PostgreSQL with fsync.",
  leavesOut: "several processes, runs that fall due while none is up.",
  more: ["newP99Ms"],
  seconds: 2,
  database: postgresDatabase,
  arms: [
    { name: "new runs", ours: true, program: "burst.mjs", args: ["alone"] },
    { name: "due at once", ours: true, program: "burst.mjs", args: [] },
  ],
  bars: [
    { arm: "due at once", atLeast: 0.7, aim: 1 },
    { arm: "due at once", of: "newP99Ms", unit: "new runs, ms", atMost: 1000, aim: 200, isExact: true },
  ],
});

export const waitingSleepers = keptRunsSuite({
  name: "waiting-sleepers",
  title: "New runs beside 100 000 that sleep",
  measures:
    "new runs of three steps, 50 at once, in a process without other runs and in one with 100 000 that sleep for an hour; its memory after a collection, and its loop. PostgreSQL with fsync.",
  leavesOut: "the size of the database, waking.",
  more: ["loopP99Ms", "heapMb", "rssMb"],
  seconds: 2,
  database: postgresDatabase,
  arms: [
    { name: "no sleepers", ours: true, program: "sleepers.mjs", args: ["0"] },
    {
      name: "100 000 sleepers",
      ours: true,
      program: "sleepers.mjs",
      args: ({ short }) => [String(short ? FEW : MANY)],
    },
  ],
  bars: [{ arm: "100 000 sleepers", atLeast: 0.95, aim: 1 }],
});
