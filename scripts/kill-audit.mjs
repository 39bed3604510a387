// Kills processes in the middle of appends to an audit log and verifies the log: `npm run kill-audit`.

import { randomInt } from "node:crypto";

import { commandLine } from "./command-line.mjs";
import { compileTests } from "./tests/compile.mjs";
import { COMPILED } from "./tests/layout.mjs";

const HELP = `npm run kill-audit [-- OPTION...]

Kills processes that append signed events to one audit log, at random times. Ends with 1 where an
acknowledged event is lost, or the log does not verify against its anchor.

  --store NAME   sqlite (default), postgres (starts a server), or file
  --kills N      number of kills (200)
  --seed N       repeats the times of an earlier run`;

const OPTIONS = {
  store: { type: "string", default: "sqlite" },
  kills: { type: "string", default: "200" },
  seed: { type: "string", default: String(randomInt(1_000_000)) },
};

const options = commandLine(HELP, { options: OPTIONS }, ({ values, count }) => {
  const { store } = values;
  if (!["sqlite", "postgres", "file"].includes(store))
    throw new Error(`--store ${store}: use sqlite, postgres or file`);
  return { store, kills: count("kills", 1), seed: count("seed") };
});

// Ends the PostgreSQL server too.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await compileTests();
const { killAudit } = await import(
  new URL(`../${COMPILED}/native-tests/support/kill-audit.js`, import.meta.url)
);

console.log(`${options.store}, seed ${options.seed}`);
const report = await killAudit({
  ...options,
  onKill: (kills) => {
    if (kills % 20 === 0) console.log(`${kills}/${options.kills} kills`);
  },
});
console.log(report);
process.exit(report.lost.length + report.failures.length === 0 ? 0 : 1);
