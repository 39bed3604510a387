// What a server that publishes does when it is told to on its input.

import { createInterface } from "node:readline";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Answers "burst N" once it has called `publish` N times, "turns N" once it has done so in N
 * turns of the event loop, and "collect" once garbage is collected.
 */
export async function obey(publish) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, count] = line.split(" ");
    if (command === "collect") for (let n = 0; n < 3; n += 1) globalThis.gc?.();
    else
      for (let n = 0; n < Number(count); n += 1) {
        publish();
        if (command === "turns") await nextTurn();
      }
    process.stdout.write(`${command}\n`);
  }
}
