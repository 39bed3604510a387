// Two suites of one shape: what a crowd costs those who ask.

import { serverSuite } from "../measure/server.mjs";
import { plaintext } from "../subjects/greeting.mjs";

const COUNTS = [10, 100, 1000, 10_000];

const growth = (name, kind, what, measures) =>
  serverSuite({
    name,
    title: `Growth with ${what}`,
    measures,
    leavesOut: "their memory, how they come and go, latency.",
    request: { path: "/", pipelined: 16 },
    answer: { status: 200, type: /^text\/plain/, text: plaintext },
    arms: COUNTS.map((count) => ({
      name: `${count} ${what}`,
      ours: true,
      server: "crowded.mjs",
      args: [kind, String(count)],
    })),
    // A tenth slower is the most that may be: the figure is a speed, so 1 / 1.1.
    bars: COUNTS.slice(1).map((count) => ({ arm: `${count} ${what}`, atLeast: 0.91, aim: 1 })),
  });

export const runsInFlight = growth(
  "runs-in-flight",
  "waiting",
  "runs in flight",
  "plaintext by 64 connections, 16 pipelined, while 10 to 10 000 other runs wait for a promise.",
);
export const clients = growth(
  "clients",
  "idle",
  "clients",
  "plaintext by 64 connections, 16 pipelined, while 10 to 10 000 others are connected and ask every 7 s, which is work that is not counted.",
);
