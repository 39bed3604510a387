// Measures when the engine ends a connection: `npm run engine-limits`. The figures stand in
// docs/limits.md and in src/config/explain.ts.

import { startIngress } from "../native-tests/support/server-process.ts";
import { dial, get, post } from "../native-tests/support/wire.ts";
import { commandLine } from "./command-line.mjs";

commandLine(`npm run engine-limits

Opens 24 connections of each kind over 6 s, since the engine looks at its clock each 4 s, and
prints after how many seconds the first and the last of them were ended. Takes half a minute.`);

const KINDS = {
  "nothing sent": "",
  "no whole head": "GET / HTTP/1.1\r\nHost",
  "idle after an answer": get("/whoami"),
  // If the body is slower than bodyTimeoutMs, the server answers 408 first.
  "a body that stalls": post("/echo", "x", "Content-Length: 100"),
};

const server = await startIngress("limits-ingress.ts", { bodyTimeoutMs: 10_000 });
const ended = new Map(Object.keys(KINDS).map((name) => [name, []]));
const all = [];
for (let i = 0; i < 24; i += 1) {
  for (const [name, first] of Object.entries(KINDS)) all.push(watch(name, first));
  await new Promise((resolve) => setTimeout(resolve, 250));
}
await Promise.all(all);
await server.stop();
for (const [name, seconds] of ended)
  console.log(`${name}: ${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)} s`);

function watch(name, first) {
  return new Promise((resolve) => {
    const began = performance.now();
    const socket = dial(server.address).on("error", () => {});
    socket.on("data", () => {});
    socket.on("end", () => {
      ended.get(name).push((performance.now() - began) / 1000);
      socket.destroy();
      resolve();
    });
    if (first !== "") socket.write(first);
  });
}
