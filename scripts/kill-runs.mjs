// Kills servers in the middle of their runs and checks the outcome of each run: `npm run kill-runs`.

import { randomInt } from "node:crypto";

import { commandLine } from "./command-line.mjs";
import { compileTests } from "./tests/compile.mjs";
import { COMPILED } from "./tests/layout.mjs";

const HELP = `npm run kill-runs [-- OPTION...]

Kills servers that keep runs in a store: before, in and behind appends, steps and undos, and at
random microseconds; halts others for longer than their lease, with PostgreSQL until the rest has
gone on; cuts connections, takes the store away for longer than the lease, lets PostgreSQL fail over
to a standby and back. Clients send keys again, with the same body and with another. Some runs sleep,
wait for signals that all processes send, and await a run that they begin.
One, two and four processes share a database. What they do and what their store answered stands
in a ledger, and a judge reads it. Ends with 1 where a run was lost, came to a wrong end, or did
something again after an answered append had called it completed.

  --store NAME   sqlite (default) or postgres (starts a server)
  --kills N      number of kills (100)
  --seed N       repeats the kills of an earlier run
  --lanes N      rounds at once (3)
  --fault early  plants a fault: appends are answered before they are committed`;

/** Most problems that are printed. */
const MAX_TOLD = 30;

const OPTIONS = {
  store: { type: "string", default: "sqlite" },
  kills: { type: "string", default: "100" },
  seed: { type: "string", default: String(randomInt(1_000_000)) },
  lanes: { type: "string", default: "3" },
  fault: { type: "string" },
};

const { kills, ...options } = commandLine(HELP, { options: OPTIONS }, ({ values, count }) => {
  const { store, fault } = values;
  if (!["sqlite", "postgres"].includes(store)) throw new Error(`--store ${store}: use sqlite or postgres`);
  if (fault !== undefined && fault !== "early") throw new Error(`--fault ${fault}: use early`);
  return { store, fault, kills: count("kills", 1), seed: count("seed"), lanes: count("lanes", 1) };
});

// Ends the PostgreSQL server too.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await compileTests();
const { killRuns } = await import(
  new URL(`../${COMPILED}/native-tests/support/kill-runs.js`, import.meta.url)
);

console.log(`${options.store}, seed ${options.seed}`);
let told = 0;
const { problems, ...report } = await killRuns({
  ...options,
  isEnough: (soFar) => soFar.kills >= kills,
  onRound: (soFar) => {
    for (const problem of soFar.problems.slice(told, MAX_TOLD)) console.error(problem);
    told = soFar.problems.length;
    const { lost, wrong, redone, forgotten, stolen, woken, unheard, doubled } = soFar;
    const found = [
      `lost ${lost}, wrong ${wrong}, redone ${redone}, forgotten ${forgotten}, stolen ${stolen}`,
      `woken twice ${woken}, signals lost ${unheard}, begun twice ${doubled}`,
    ].join(", ");
    console.log(`${String(soFar.kills).padStart(5)}/${kills} kills, ${soFar.rounds} rounds: ${found}`);
  },
});
console.log(report);
process.exit(problems.length === 0 ? 0 : 1);
