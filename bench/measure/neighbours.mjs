// Suites that time the small requests of a server beside the large ones of another client.

import assert from "node:assert/strict";
import { Agent, get } from "node:http";
import { join } from "node:path";

import { root as here } from "../root.mjs";
import { start, stop, written } from "./children.mjs";
import { freePort } from "./server.mjs";

const READY_MS = 20_000;

/** A suite whose arms name what is asked all the time, `beside`, while `path` is timed; the figure is its 99th percentile. */
export const neighboursSuite = ({ path, ...suite }) => ({
  unit: "ms, p99",
  better: "lower",
  more: [],
  ...suite,
  open: async ({ server, beside }, { root = here, seconds }) => {
    const port = await freePort();
    const child = start(process.execPath, [join(root, "bench/servers", server), String(port)]);
    await written(child, "READY", READY_MS);
    const ask = asking(port);
    // The thread and its module are there.
    for (let n = 0; beside !== undefined && n < 5; n += 1) await ask(beside);
    return {
      measure: () => p99(ask, path, beside, seconds),
      close: () => stop(child),
    };
  },
});

async function p99(ask, path, beside, seconds) {
  const endsAt = performance.now() + seconds * 1000;
  const isDue = () => performance.now() < endsAt;
  const large = (async () => {
    while (beside !== undefined && isDue()) await ask(beside);
  })();
  const times = [];
  while (isDue()) {
    const began = performance.now();
    await ask(path);
    times.push(performance.now() - began);
  }
  await large;
  times.sort((a, b) => a - b);
  return { figure: times[Math.ceil(0.99 * times.length) - 1] };
}

const asking = (port) => {
  const agent = new Agent({ keepAlive: true });
  return (path) =>
    new Promise((resolve, reject) => {
      get({ host: "127.0.0.1", port, path, agent }, (answer) => {
        assert.equal(answer.statusCode, 200);
        answer.on("error", reject).on("end", resolve).resume();
      }).on("error", reject);
    });
};
