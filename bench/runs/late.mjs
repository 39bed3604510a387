// late.mjs URL A_SECOND AHEAD_MS: how late runs are that sleep, so many of which are due each second.
// They begin at the same rate, so long before.

import { Axon } from "../../dist/index.js";
import { answering, percentile } from "./answering.mjs";
import { begun, hosted, idsOf } from "./hosted.mjs";

const [url, aSecond, aheadMs] = process.argv.slice(2);
/** Runs that begin together. */
const BATCH = 50;

let late = [];
const sleeping = (runs) => [
  Axon.start("sleeps")
    .withPersistenceStore(runs)
    .sleep("until", ({ due }) => new Date(due))
    .thenFn("awake", ({ due }) => {
      late.push(Date.now() - due);
      return due;
    }),
];
const server = await hosted(url, sleeping);
const [axon] = server.axons;
const idOf = idsOf("sleeps");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let n = 0;

await answering(async (seconds) => {
  late = [];
  const count = Math.ceil(Number(aSecond) * seconds);
  const everyMs = 1000 / Number(aSecond);
  const first = Date.now() + Number(aheadMs);
  const ends = [];
  for (let at = 0; at < count; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - at) }, (_, of) => at + of);
    await pause(first - Number(aheadMs) + at * everyMs - Date.now());
    await Promise.all(
      batch.map((of) => {
        n += 1;
        const id = idOf(n);
        ends.push(server.ended(id));
        return begun(server.runs, axon, { due: Math.round(first + of * everyMs) }, id);
      }),
    );
  }
  await Promise.all(ends);
  if (late.length !== count) throw new Error(`${late.length} of ${count} runs woke up`);
  if (late.some((ms) => ms < 0)) throw new Error("A run woke up before its time");
  late.sort((a, b) => a - b);
  return { figure: percentile(late, 0.99), p50Ms: percentile(late, 0.5) };
});
await server.close();
