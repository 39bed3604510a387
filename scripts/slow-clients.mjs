// 200 slow clients beside fast ones: `npm run slow-clients`. Exits with 1 if the 99th percentile of
// the fast ones is 500 ms or more.

import { startIngress } from "../native-tests/support/server-process.ts";
import { dial, get, statusOf } from "../native-tests/support/wire.ts";
import { commandLine } from "./command-line.mjs";

const USAGE = `npm run slow-clients [-- --slow N] [--seconds N]

N clients (200) send a head or a body byte by byte, or take nothing of a large answer, while
others ask one request after another for N seconds (8). Prints how long those waited.`;

const OPTIONS = {
  slow: { type: "string", default: "200" },
  seconds: { type: "string", default: "8" },
};

const asked = commandLine(USAGE, { options: OPTIONS }, ({ count }) => ({
  slow: count("slow"),
  seconds: count("seconds", 1),
}));

const LIMIT_MS = 500;
const BEGINNINGS = [
  "GET /whoami HTTP/1.1\r\nHost: a\r\nX-Slow: ",
  "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
  get("/big"),
];

const server = await startIngress("limits-ingress.ts");
const slow = Array.from({ length: asked.slow }, (_, i) => {
  const kind = i % BEGINNINGS.length;
  const socket = dial(server.address).on("error", () => {});
  socket.pause().write(BEGINNINGS[kind]);
  if (kind < 2) {
    const timer = setInterval(() => socket.write("x"), 250);
    socket.on("close", () => clearInterval(timer));
  }
  return socket;
});

const waits = [];
let failed = 0;
const endsAt = performance.now() + asked.seconds * 1000;
await Promise.all([1, 2, 3, 4].map(askUntilThen));
for (const socket of slow) socket.destroy();
await server.stop();

waits.sort((a, b) => a - b);
const at = (share) => waits[Math.floor(waits.length * share)]?.toFixed(1);
console.log(
  `${waits.length} requests beside ${slow.length} slow clients: median ${at(0.5)} ms, 99 % within ${at(0.99)} ms, the slowest ${waits.at(-1)?.toFixed(1)} ms; ${failed} failed`,
);
process.exit(failed === 0 && Number(at(0.99)) < LIMIT_MS ? 0 : 1);

async function askUntilThen() {
  while (performance.now() < endsAt) {
    const began = performance.now();
    const status = await statusOf(server.address, get("/whoami", "Connection: close"), { waitMs: 5000 });
    waits.push(performance.now() - began);
    if (status !== 200) failed += 1;
    // Each takes a connection, which the kernel keeps for a minute after its end (TIME_WAIT).
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
