// Suites that time a start: from the creation of a process to its first answer.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { root as here } from "../root.mjs";
import { start, stop } from "./children.mjs";
import { median } from "./median.mjs";
import { freePort } from "./server.mjs";

const STARTS_A_SECOND = 5;
const TIMEOUT_MS = 20_000;

/** A suite of programs in bench/starts; each must answer "ok" to GET /. */
export const startSuite = (suite) => ({
  unit: "ms",
  better: "lower",
  more: [],
  ...suite,
  open: async (arm, { root = here, seconds }) => {
    const file = join(root, "bench/starts", arm.program);
    // The first start reads the files into the page cache.
    await timeStart(file);
    const starts = Math.ceil(STARTS_A_SECOND * seconds);
    return { measure: () => medianStart(file, starts), close: async () => {} };
  },
});

async function medianStart(file, starts) {
  const times = [];
  while (times.length < starts) times.push(await timeStart(file));
  return { figure: median(times) };
}

async function timeStart(file) {
  const port = await freePort();
  const began = performance.now();
  const program = start(process.execPath, [file, String(port)]);
  try {
    for (;;) {
      const answer = await ask(port);
      const ms = performance.now() - began;
      if (answer !== undefined) {
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
        assert.match(answer, /\r\n\r\nok$/);
        return ms;
      }
      if (program.exitCode !== null || ms > TIMEOUT_MS)
        throw new Error(`${file} gave no answer\n${program.output.stderr}`);
      await sleep(1);
    }
  } finally {
    await stop(program);
  }
}

/** The first bytes it sends; undefined while nobody listens. */
function ask(port) {
  return new Promise((resolve) => {
    const client = connect(port, "127.0.0.1", () =>
      client.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"),
    );
    client.once("data", (bytes) => {
      client.destroy();
      resolve(bytes.toString("latin1"));
    });
    client.once("error", () => resolve(undefined));
  });
}
