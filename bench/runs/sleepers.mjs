// sleepers.mjs URL SLEEPERS: new runs of three steps beside so many that sleep; the memory and the
// loop of their process.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { Axon } from "../../dist/index.js";
import { begun, hosted, idsOf } from "./hosted.mjs";
import { measured } from "./measured.mjs";

const [url, sleepers] = process.argv.slice(2);
const AN_HOUR_MS = 3_600_000;
const AT_ONCE = 200;
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const both = (runs) => [
  ["a", "b", "c"].reduce(
    (line, name) => line.thenFn(name, (input) => ({ ...input, [name]: input.n + 1 })),
    Axon.start("new").withPersistenceStore(runs),
  ),
  Axon.start("sleeps").withPersistenceStore(runs).sleep("long", AN_HOUR_MS),
];
const server = await hosted(url, both);
const [fresh, sleeps] = server.axons;
const sleeperOf = idsOf("sleeps");
let left = Number(sleepers);
const fill = async () => {
  while (left > 0) {
    left -= 1;
    await begun(server.runs, sleeps, { n: left }, sleeperOf(left));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, fill));

const idOf = idsOf("new");
await measured(
  50,
  async (n) => {
    const end = server.ended(idOf(n));
    await begun(server.runs, fresh, { n }, idOf(n));
    return (await end).output;
  },
  ({ n, c }) => c === n + 1,
  () => {
    collect();
    return { heapMb: process.memoryUsage().heapUsed / 1e6, rssMb: process.memoryUsage().rss / 1e6 };
  },
);
await server.close();
