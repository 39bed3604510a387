import { serverSuite } from "../measure/server.mjs";
import guardedOrder from "./guarded-order.mjs";

const { request, answer } = guardedOrder;

/**
 * The young generation grows with what survives the start. Loading the Inspector doubles it, and the
 * caches of the processor lose 5 % by that, which an application of some size has lost before.
 */
const nodeFlags = ["--min-semi-space-size=16", "--max-semi-space-size=16"];

export const guardedRecording = serverSuite({
  name: "recording",
  title: "The guarded order beside an Inspector that records it",
  measures:
    "the guarded order of the suite guarded-order, HS256: with no Inspector; with one that is declared and off; with one that records every node of every run; with one that records one run in 16 and counts the others. Metrics and the trace store are as they are shipped (beside the slow and the faulted ones it keeps about 250 runs a second), payloads are not captured, nobody looks. 64 connections. Each arm has the young generation that large programs get (16 MiB).",
  leavesOut: "clients of the feed, breakpoints, captured payloads, scrapes.",
  discardsOutput: true,
  nodeFlags,
  request,
  answer,
  arms: [
    { name: "no Inspector", ours: true, server: "guarded-ours.mjs" },
    { name: "off", ours: true, server: "guarded-ours.mjs", args: ["HS256", "off"] },
    { name: "every node", ours: true, server: "guarded-ours.mjs", args: ["HS256", "1"] },
    { name: "sampled 1 in 16", ours: true, server: "guarded-ours.mjs", args: ["HS256", "0.0625"] },
  ],
  bars: [
    { arm: "off", atLeast: 0.99 },
    { arm: "every node", atLeast: 0.9 },
    { arm: "sampled 1 in 16", atLeast: 0.97 },
  ],
});

export const smallRecording = serverSuite({
  name: "recording-small",
  title: "A small route beside an Inspector that records it",
  measures:
    "GET of a route with four small steps, answered by schema, no guards: with no Inspector; with one that records every node of every run; with one that records one run in 16 and counts the others. All else is as in the suite recording.",
  leavesOut: "clients of the feed, breakpoints, captured payloads, scrapes.",
  nodeFlags,
  request: { path: "/total" },
  answer: {
    status: 200,
    type: /^application\/json/,
    json: { subtotal: 57, discount: 5, tax: 13, total: 65 },
  },
  arms: [
    { name: "no Inspector", ours: true, server: "small-ours.mjs" },
    { name: "every node", ours: true, server: "small-ours.mjs", args: ["1"] },
    { name: "sampled 1 in 16", ours: true, server: "small-ours.mjs", args: ["0.0625"] },
  ],
  bars: [
    { arm: "every node", atLeast: 0.87, aim: 0.95 },
    { arm: "sampled 1 in 16", atLeast: 0.96, aim: 0.99 },
  ],
});
