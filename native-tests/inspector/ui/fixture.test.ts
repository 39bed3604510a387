import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Value } from "@sinclair/typebox/value";

import { AuditEvents, AuditStatus } from "../../../src/inspector/api/audit.js";
import * as breakpoints from "../../../src/inspector/api/breakpoints.js";
import * as circuits from "../../../src/inspector/api/circuits.js";
import * as letters from "../../../src/inspector/api/dead-letters.js";
import { Metrics } from "../../../src/inspector/api/metrics.js";
import { OffloadAdvice } from "../../../src/inspector/api/offload.js";
import { Refusals } from "../../../src/inspector/api/refusals.js";
import { RelayAnswer } from "../../../src/inspector/api/relay.js";
import * as kept from "../../../src/inspector/api/runs.js";
import { Found } from "../../../src/inspector/api/search.js";
import { OneStatus, Ticket } from "../../../src/inspector/api/status.js";
import * as traces from "../../../src/inspector/api/traces.js";
import { Unmatched } from "../../../src/inspector/api/unmatched.js";
import * as watching from "../../../src/inspector/api/watching.js";
import { answerOf } from "../../support/inspector-fixture-answers.js";
import {
  busyState,
  emptyState,
  type FixtureState,
  largeState,
} from "../../support/inspector-fixture-state.js";

const run = busyState().runs;
const ROUTE = { method: "POST", path: "/orders" };
const ASKED = [
  ["GET", "/status", OneStatus],
  ["POST", "/api/v1/tickets", Ticket],
  ["GET", "/api/v1/metrics", Metrics],
  ["GET", "/api/v1/metrics?window=start", Metrics],
  ["GET", "/api/v1/routes", circuits.Routes],
  ["POST", "/api/v1/routes/schema", circuits.RouteSchema, ROUTE],
  ["POST", "/api/v1/routes/sample", circuits.RouteSample, { ...ROUTE, mode: "edge" }],
  ["GET", "/api/v1/schematics", circuits.Schematics],
  ["GET", "/api/v1/schematics/checkout", circuits.OneSchematic],
  ["GET", "/api/v1/traces", traces.Traces],
  ["GET", `/api/v1/traces/${run[4]?.run_id}`, traces.OneTrace],
  ["GET", `/api/v1/traces/diff?a=${run[0]?.run_id}&b=${run[4]?.run_id}`, traces.TraceDiff],
  ["GET", "/api/v1/refusals?window=60", Refusals],
  ["GET", "/api/v1/search?q=orders", Found],
  ["GET", "/api/v1/breakpoints", breakpoints.Breakpoints],
  ["POST", "/api/v1/breakpoints", breakpoints.OneBreakpoint, { node_id: "place-order/price" }],
  ["GET", "/api/v1/paused", breakpoints.PausedRuns],
  ["POST", "/api/v1/paused/h1/step", breakpoints.Released, {}],
  ["GET", "/api/v1/dlq", letters.DeadLetters],
  ["POST", "/api/v1/dlq/dl-1/redrive", letters.Redriven, {}],
  ["GET", "/api/v1/stalls", watching.Stalls],
  ["GET", "/api/v1/offload", OffloadAdvice],
  ["GET", "/api/v1/unmatched", Unmatched],
  ["GET", "/api/v1/alerts", watching.Alerts],
  ["GET", "/api/v1/audit/verify", AuditStatus],
  ["GET", "/api/v1/audit/events?actor=teller%3Aann", AuditEvents],
  ["GET", "/api/v1/runs", kept.UnfinishedRuns],
  ["GET", "/api/v1/runs/kept-stopped", kept.OneKeptRun],
  ["POST", "/api/v1/runs/kept-stopped/resume", kept.ResumedRun, {}],
  ["POST", "/api/v1/runs/kept-stopped/cancel", kept.CancelledRun, { reason: "no" }],
  ["POST", "/api/v1/runs/kept-stopped/forget", kept.ForgottenRun, {}],
  ["POST", "/api/v1/relay", RelayAnswer, { ...ROUTE }],
] as const;

const ask = (state: FixtureState, [method, path, , body]: (typeof ASKED)[number]) => {
  const url = new URL(path, "http://fixture");
  return answerOf(state, { method, path: url.pathname, query: url.searchParams, body });
};

describe("the fixture of the Inspector's page", () => {
  for (const asked of ASKED)
    test(`answers ${asked[0]} ${asked[1].replace(/[?].*/, "")} as the API's schema says`, () => {
      const { status, answer } = ask(busyState(), asked);

      assert.ok(status < 300, `status ${status}`);
      assert.deepEqual([...Value.Errors(asked[2], answer)].slice(0, 3), []);
    });

  test("answers so when it is empty, and when it is large", () => {
    for (const state of [emptyState(), largeState(50)])
      for (const asked of ASKED.filter(
        ([method, path]) => method === "GET" && !/traces\/|schematics\/|runs\//.test(path),
      ))
        assert.deepEqual([...Value.Errors(asked[2], ask(state, asked).answer)].slice(0, 3), []);
  });
});
