// The Inspector's API: one function per endpoint. The types are those of the schemas that validate
// the responses.

import type { Static } from "@sinclair/typebox";

import type { AuditEvents, AuditEventsQuery, AuditStatus } from "../../api/audit.js";
import type {
  Breakpoint,
  BreakpointChange,
  Breakpoints,
  NewBreakpoint,
  PausedRuns,
  Released,
} from "../../api/breakpoints.js";
import type { OneSchematic, RouteSample, RouteSchema, Routes, Schematics } from "../../api/circuits.js";
import type { DeadLetters, DeadLetterQuery as LetterQuery, Redriven } from "../../api/dead-letters.js";
import type { AbortedRun, InFlightRun, InFlightRuns } from "../../api/in-flight.js";
import type { Metrics, MetricsQuery } from "../../api/metrics.js";
import type { OffloadAdvice } from "../../api/offload.js";
import type { Refusals, RefusalsQuery } from "../../api/refusals.js";
import type { RelayAnswer, RelayRequest, RerunPlan, RerunRequest } from "../../api/relay.js";
import type {
  CancelledRun,
  ForgottenRun,
  Hosts,
  KeptRun,
  ResumedRun,
  RunList,
  RunListQuery,
  SignalledRun,
  SignalRequest,
  UnfinishedQuery,
  UnfinishedRuns,
  WokenRun,
} from "../../api/runs.js";
import type { Found, SearchQuery } from "../../api/search.js";
import type { OneStatus, Ticket } from "../../api/status.js";
import type { Trace, TraceDiff, TraceQuery, Traces } from "../../api/traces.js";
import type { Unmatched, UnmatchedQuery } from "../../api/unmatched.js";
import type { Alerts, Stalls } from "../../api/watching.js";
import { ask, query } from "./ask.js";

type Data<E extends { static: unknown }> = E["static"] extends { data: infer D } ? D : never;

export type MetricsData = Static<typeof Metrics>["data"];
export type RoutesData = Data<typeof Routes>;
export type SchematicsData = Data<typeof Schematics>;
export type SchematicData = Data<typeof OneSchematic>;
export type SampleData = Data<typeof RouteSample>;
export type TracesData = Data<typeof Traces>;
export type DiffData = Data<typeof TraceDiff>;
export type StatusData = Data<typeof OneStatus>;
type LettersAsked = Static<typeof LetterQuery>;
export type LettersData = Data<typeof DeadLetters>;
export type RedrivenData = Data<typeof Redriven>;
export type RelayData = Data<typeof RelayAnswer>;
export type PausedData = Data<typeof PausedRuns>;
export type BreakpointsData = Data<typeof Breakpoints>;
export type AlertsData = Data<typeof Alerts>;
export type StallsData = Data<typeof Stalls>;
export type OffloadData = OffloadAdvice;
export type RefusalsData = Data<typeof Refusals>;
export type UnmatchedData = Data<typeof Unmatched>;
export type UnfinishedData = Data<typeof UnfinishedRuns>;
export type RunListData = Data<typeof RunList>;
export type AuditData = Data<typeof AuditStatus>;
export type AuditEventsData = Data<typeof AuditEvents>;
export type InFlightData = Data<typeof InFlightRuns>;
export type HostsData = Data<typeof Hosts>;
export type CancelledData = Data<typeof CancelledRun>;
export type ResumedData = Data<typeof ResumedRun>;
export type SignalledData = Data<typeof SignalledRun>;

const V1 = "/api/v1";
const at = (...parts: readonly string[]): string => [V1, ...parts.map(encodeURIComponent)].join("/");

export const api = {
  status: () => ask<StatusData>("GET", "/status"),
  ticket: () => ask<Data<typeof Ticket>>("POST", `${V1}/tickets`, {}),
  metrics: (which: MetricsQuery = {}) => ask<MetricsData>("GET", `${V1}/metrics${query({ ...which })}`),
  routes: () => ask<RoutesData>("GET", `${V1}/routes`),
  schematics: () => ask<SchematicsData>("GET", `${V1}/schematics`),
  schematic: (name: string) => ask<SchematicData>("GET", at("schematics", name)),
  template: (route: { method: string; path: string }) =>
    ask<Data<typeof RouteSchema>>("POST", `${V1}/routes/schema`, route),
  sample: (request: { method: string; path: string; seed?: number; mode: "random" | "edge" }) =>
    ask<SampleData>("POST", `${V1}/routes/sample`, request),
  relay: (request: RelayRequest) => ask<RelayData>("POST", `${V1}/relay`, request),
  rerunPlan: (run: string) => ask<Data<typeof RerunPlan>>("GET", at("traces", run, "rerun")),
  rerun: (run: string, request: RerunRequest) => ask<RelayData>("POST", at("traces", run, "rerun"), request),
  traces: (which: TraceQuery) => ask<TracesData>("GET", `${V1}/traces${query({ ...which })}`),
  trace: (id: string) => ask<Trace>("GET", at("traces", id)),
  diff: (a: string, b: string) => ask<DiffData>("GET", `${V1}/traces/diff${query({ a, b })}`),
  refusals: (which: Static<typeof RefusalsQuery>) =>
    ask<RefusalsData>("GET", `${V1}/refusals${query({ ...which })}`),
  search: (which: SearchQuery) => ask<Data<typeof Found>>("GET", `${V1}/search${query({ ...which })}`),
  breakpoints: () => ask<BreakpointsData>("GET", `${V1}/breakpoints`),
  setBreakpoint: (breakpoint: NewBreakpoint) => ask<Breakpoint>("POST", `${V1}/breakpoints`, breakpoint),
  changeBreakpoint: (id: string, change: BreakpointChange) =>
    ask<Breakpoint>("PATCH", at("breakpoints", id), change),
  removeBreakpoint: (id: string) => ask<unknown>("DELETE", at("breakpoints", id)),
  paused: () => ask<PausedData>("GET", `${V1}/paused`),
  release: (id: string, how: "resume" | "step" | "abort", edit?: { input: unknown }) =>
    ask<Data<typeof Released>>("POST", at("paused", id, how), how === "abort" ? {} : (edit ?? {})),
  letters: (which: LettersAsked) => ask<LettersData>("GET", `${V1}/dlq${query({ ...which })}`),
  redrive: (id: string, skipUndone: boolean) =>
    ask<RedrivenData>("POST", `${at("dlq", id, "redrive")}${skipUndone ? "?skip_undone=true" : ""}`, {}),
  discard: (id: string) => ask<unknown>("DELETE", at("dlq", id)),
  stalls: () => ask<StallsData>("GET", `${V1}/stalls`),
  alerts: () => ask<AlertsData>("GET", `${V1}/alerts`),
  offload: () => ask<OffloadData>("GET", `${V1}/offload`),
  unmatched: (which: UnmatchedQuery) => ask<UnmatchedData>("GET", `${V1}/unmatched${query({ ...which })}`),
  keptRuns: (which: UnfinishedQuery) => ask<UnfinishedData>("GET", `${V1}/runs${query({ ...which })}`),
  runList: (which: RunListQuery) => ask<RunListData>("GET", `${V1}/run-list${query({ ...which })}`),
  inFlight: () => ask<InFlightData>("GET", `${V1}/in-flight`),
  inFlightRun: (id: string) => ask<InFlightRun>("GET", at("in-flight", id)),
  abortRun: (id: string) => ask<Data<typeof AbortedRun>>("POST", at("in-flight", id, "abort"), {}),
  hosts: () => ask<HostsData>("GET", `${V1}/hosts`),
  keptRun: (id: string) => ask<KeptRun>("GET", at("runs", id)),
  resumeRun: (id: string, force: boolean) =>
    ask<ResumedData>("POST", at("runs", id, "resume"), force ? { force } : {}),
  cancelRun: (id: string, reason: string, force: boolean) =>
    ask<CancelledData>("POST", at("runs", id, "cancel"), force ? { reason, force } : { reason }),
  signalRun: (id: string, signal: SignalRequest) =>
    ask<SignalledData>("POST", at("runs", id, "signal"), signal),
  wakeRun: (id: string) => ask<Data<typeof WokenRun>>("POST", at("runs", id, "wake"), {}),
  forgetRun: (id: string) => ask<Data<typeof ForgottenRun>>("POST", at("runs", id, "forget"), {}),
  auditEvents: (which: AuditEventsQuery) =>
    ask<AuditEventsData>("GET", `${V1}/audit/events${query({ ...which })}`),
  audit: () => ask<AuditData>("GET", `${V1}/audit/verify`),
};
