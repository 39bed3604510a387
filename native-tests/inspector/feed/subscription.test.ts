import assert from "node:assert/strict";
import { test } from "node:test";

import type { FeedEvent } from "#inspector/api/events.js";
import { Subscription } from "#inspector/feed/subscription.js";

const at = { seq: 1, at: 0 };
const request = { method: "GET", path: "/", route: "/", request_id: "r", trace_id: null };
const row = {
  run_id: "1-1",
  circuit: "a",
  version: "1",
  started_at: 0,
  duration_us: 1,
  ended_at: 1,
  node_count: 1,
};
const fault = { node: "a/n", label: "n", code: "DENIED", status: 403, title: "Denied", detail: null };

const ended = (http_status: number, status: "completed" | "faulted" = "faulted"): FeedEvent => ({
  ...{ ...at, kind: "circuit_exit" },
  run: {
    ...{ ...row, status, goes_on: null, request: { ...request, http_status } },
    fault: status === "completed" ? null : { ...fault, status: http_status },
  },
});
const node = (outcome: "next" | "fault"): FeedEvent => ({
  ...{ ...at, kind: "node_exit", run_id: "1-1", circuit: "a", node: "a/n", label: "n", duration_us: 1 },
  ...{ outcome, fault: outcome === "fault" ? "Denied" : null },
});

test("a subscription selects runs by outcome, status and code, and nodes by whether they faulted", () => {
  const kinds = ["circuit_exit", "node_exit"] as const;
  const events = [ended(200, "completed"), ended(403), ended(500), node("next"), node("fault")];
  const wanted = (filter: ConstructorParameters<typeof Subscription>[0]) =>
    events.map((event) => new Subscription({ kinds: [...kinds], ...filter }).wants(event));

  assert.deepEqual(wanted({}), [true, true, true, true, true]);
  assert.deepEqual(wanted({ outcome: "completed" }), [true, false, false, true, false]);
  assert.deepEqual(wanted({ outcome: "refused" }), [false, true, false, false, true]);
  assert.deepEqual(wanted({ outcome: "error" }), [false, false, true, false, true]);
  assert.deepEqual(wanted({ http_status: "5xx" }), [false, false, true, false, false]);
  assert.deepEqual(wanted({ code: "DENIED" }), [false, true, true, false, false]);
  assert.deepEqual(wanted({ faults_only: true }), [false, true, true, false, true]);
});
