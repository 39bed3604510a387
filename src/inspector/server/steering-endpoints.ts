// Breakpoints, and the runs that they hold.

import { isFault } from "#core/outcome.js";
import { respond } from "#core/reply.js";
import { bytes, combine, json, path } from "#http/extractor.js";
import {
  BreakpointChange,
  Breakpoints,
  NewBreakpoint,
  OneBreakpoint,
  PausedRuns,
  Release,
  Released,
} from "../api/breakpoints.js";
import { planned } from "../fault.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import { optionalJson } from "./optional-json.js";
import type { InspectorParts, SteeringPart } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const NO_BREAKPOINTS = planned("breakpoints", "This server holds no runs");

export const steeringEndpoints = ({ steering }: InspectorParts): readonly Endpoint[] => [
  ...breakpointEndpoints(steering),
  ...pausedEndpoints(steering),
];

const breakpointEndpoints = (steering: SteeringPart | undefined): readonly Endpoint[] => [
  endpoint({
    route: "GET /api/v1/breakpoints",
    role: "viewer",
    summary: "The breakpoints that are set",
    gives: Breakpoints,
    run: async () =>
      steering === undefined ? NO_BREAKPOINTS : enveloped("breakpoints", await steering.list()),
  }),
  endpoint<NewBreakpoint>({
    route: "POST /api/v1/breakpoints",
    role: "operator",
    summary: "Sets a breakpoint: 201",
    takes: NewBreakpoint,
    gives: OneBreakpoint,
    run: async (wanted) => {
      const set = steering === undefined ? NO_BREAKPOINTS : await steering.set(wanted);
      if (isFault(set)) return set;
      const headers = { location: `/api/v1/breakpoints/${encodeURIComponent(set.id)}` };
      return respond({ status: 201, headers, body: enveloped("breakpoint", set) });
    },
  }),
  endpoint<ById>({
    route: "GET /api/v1/breakpoints/:id",
    role: "viewer",
    summary: "One breakpoint, with what it has kept",
    takes: ById,
    gives: OneBreakpoint,
    run: async ({ id }) => {
      const found = steering === undefined ? NO_BREAKPOINTS : await steering.get(id);
      return isFault(found) ? found : enveloped("breakpoint", found);
    },
  }),
  endpoint<{ readonly of: ById; readonly change: BreakpointChange }>({
    route: "PATCH /api/v1/breakpoints/:id",
    role: "operator",
    summary: "Changes a breakpoint, or switches it on or off",
    input: combine({ of: path(ById), change: json(BreakpointChange) }),
    gives: OneBreakpoint,
    run: async ({ of, change }) => {
      const changed = steering === undefined ? NO_BREAKPOINTS : await steering.change(of.id, change);
      return isFault(changed) ? changed : enveloped("breakpoint", changed);
    },
  }),
  endpoint<ById>({
    route: "DELETE /api/v1/breakpoints/:id",
    role: "operator",
    summary: "Removes a breakpoint, and lets go what it holds: 204",
    takes: ById,
    run: ({ id }) => (steering === undefined ? NO_BREAKPOINTS : steering.remove(id)),
  }),
];

const release = optionalJson(Release, "A release");

const releasing = (
  steering: SteeringPart | undefined,
  how: "resume" | "step" | "abort",
  summary: string,
): Endpoint =>
  endpoint<{ readonly of: ById; readonly body: Uint8Array }>({
    route: `POST /api/v1/paused/:id/${how}`,
    role: "operator",
    summary,
    input: combine({ of: path(ById), body: bytes() }),
    gives: Released,
    run: async ({ of, body }) => {
      if (steering === undefined) return NO_BREAKPOINTS;
      const edit = release(body);
      if (isFault(edit)) return edit;
      const done = await steering.release(of.id, how, how === "abort" ? {} : edit);
      return isFault(done) ? done : enveloped("released", done);
    },
  });

const pausedEndpoints = (steering: SteeringPart | undefined): readonly Endpoint[] => [
  endpoint({
    route: "GET /api/v1/paused",
    role: "viewer",
    summary: "The runs that are held",
    gives: PausedRuns,
    run: async () => (steering === undefined ? NO_BREAKPOINTS : enveloped("paused", await steering.paused())),
  }),
  releasing(steering, "resume", "Lets a held run go on, with its input or with an edited one"),
  releasing(steering, "step", "Lets it go on to its next node, and holds it there"),
  releasing(steering, "abort", "Ends it: the run is aborted"),
];
