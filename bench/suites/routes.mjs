// Two suites of one shape: static routes are found by a Map, others by a tree.

import { serverSuite } from "../measure/server.mjs";
import { plaintext } from "../subjects/greeting.mjs";

const COUNTS = [10, 100, 1000, 10_000];

const growth = (name, kind, pathOfLast) =>
  serverSuite({
    name,
    title: `Growth with routes: the last ${kind} route`,
    measures: `ours with 10 to 10 000 routes, half static and half with a parameter, asked for the last ${kind} one; 16 pipelined, so that routing is not hidden by system calls.`,
    leavesOut: "paths that are not found, percent-encoded paths, several methods, start-up and memory.",
    request: { pipelined: 16 },
    answer: { status: 200, type: /^text\/plain/, text: plaintext },
    arms: COUNTS.map((count) => ({
      name: `${count} routes`,
      ours: true,
      server: "many-routes.mjs",
      args: [String(count)],
      request: { path: pathOfLast(count / 2 - 1) },
    })),
    // A tenth slower is the most that may be: the figure is a speed, so 1 / 1.1.
    bars: COUNTS.slice(1).map((count) => ({ arm: `${count} routes`, atLeast: 0.91, aim: 1 })),
  });

export const staticRoutes = growth("routes-static", "static", (i) => `/things/static-${i}`);
export const parameterRoutes = growth("routes-parameter", "parameter", (i) => `/things/${i}/42`);
