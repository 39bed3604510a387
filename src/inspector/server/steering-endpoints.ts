// Breakpoints and the runs they hold.

import { hash } from "node:crypto";

import { isFault } from "#core/bus/outcome.js";
import { respond } from "#core/bus/reply.js";
import { bytes, combine, json, path } from "#http/input/extractor.js";
import {
  type Breakpoint,
  BreakpointChange,
  Breakpoints,
  NewBreakpoint,
  OneBreakpoint,
  PausedRuns,
  Release,
  Released,
} from "../api/breakpoints.js";
import { planned } from "../api/fault.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import { optionalJson } from "./optional-json.js";
import type { InspectorParts, SteeringPart } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const NO_BREAKPOINTS = planned("breakpoints", "This server holds no runs");

export const steeringEndpoints = ({ steering, operators }: InspectorParts): readonly Endpoint[] => [
  ...breakpointEndpoints(steering, operators),
  ...pausedEndpoints(steering, operators),
];

type Operators = InspectorParts["operators"];

const breakpointEndpoints = (
  steering: SteeringPart | undefined,
  operators: Operators,
): readonly Endpoint[] => [
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
    run: async (wanted, by) => {
      if (steering === undefined) return NO_BREAKPOINTS;
      const action = { action: "inspector.breakpoint.set", target: wanted.node_id } as const;
      const set = await operators.acted(by, action, () => steering.set(wanted), factsOf);
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
    run: async ({ of: { id }, change }, by) => {
      if (steering === undefined) return NO_BREAKPOINTS;
      const target = (await steering.nodeOf(id)) ?? id;
      const action = { action: "inspector.breakpoint.change", target } as const;
      const changed = await operators.acted(by, action, () => steering.change(id, change), factsOf);
      return isFault(changed) ? changed : enveloped("breakpoint", changed);
    },
  }),
  endpoint<ById>({
    route: "DELETE /api/v1/breakpoints/:id",
    role: "operator",
    summary: "Removes a breakpoint, and lets go what it holds: 204",
    takes: ById,
    run: async ({ id }, by) => {
      if (steering === undefined) return NO_BREAKPOINTS;
      const target = (await steering.nodeOf(id)) ?? id;
      const action = { action: "inspector.breakpoint.delete", target } as const;
      return operators.acted(
        by,
        action,
        () => steering.remove(id),
        () => ({ breakpoint: id }),
      );
    },
  }),
];

const release = optionalJson(Release, "A release");

const releasing = (
  steering: SteeringPart | undefined,
  operators: Operators,
  how: "resume" | "step" | "abort",
  summary: string,
): Endpoint =>
  endpoint<{ readonly of: ById; readonly body: Uint8Array }>({
    route: `POST /api/v1/paused/:id/${how}`,
    role: "operator",
    summary,
    input: combine({ of: path(ById), body: bytes() }),
    gives: Released,
    run: async ({ of: { id }, body }, by) => {
      if (steering === undefined) return NO_BREAKPOINTS;
      const edit = release(body);
      if (isFault(edit)) return edit;
      const input = how === "abort" ? {} : edit;
      const target = (await steering.runOf(id)) ?? id;
      const action = { action: `inspector.run.${how}`, target } as const;
      const released = await operators.acted(
        by,
        action,
        () => steering.release(id, how, input),
        ({ run_id, circuit, node_id, held_ms }) => ({ run_id, circuit, node_id, held_ms }),
      );
      if (isFault(released)) return released;
      if (Object.hasOwn(input, "input")) {
        const edit = { action: "inspector.payload.edit", target: released.run_id } as const;
        await operators.record(by, edit, editFacts(released, input));
      }
      return enveloped("released", released);
    },
  });

/** The edit is recorded as a hash only, since it may contain secrets. The hash identifies a known text. */
const editFacts = ({ run_id, circuit, node_id }: Place, { input }: { readonly input?: unknown }) => ({
  run_id,
  circuit,
  node_id,
  sha256: hash("sha256", JSON.stringify(input)),
});

interface Place {
  readonly run_id: string;
  readonly circuit: string | null;
  readonly node_id: string | null;
}

const factsOf = ({ id, circuit, node_id, condition, mode, hold_ms, max_hits, enabled }: Breakpoint) => ({
  breakpoint: id,
  circuit,
  node_id,
  condition,
  mode,
  hold_ms,
  max_hits,
  enabled,
});

const pausedEndpoints = (steering: SteeringPart | undefined, operators: Operators): readonly Endpoint[] => [
  endpoint({
    route: "GET /api/v1/paused",
    role: "viewer",
    summary: "The runs that are held",
    gives: PausedRuns,
    run: async () => (steering === undefined ? NO_BREAKPOINTS : enveloped("paused", await steering.paused())),
  }),
  releasing(steering, operators, "resume", "Lets a held run go on, with its input or with an edited one"),
  releasing(steering, operators, "step", "Lets it go on to its next node, and holds it there"),
  releasing(steering, operators, "abort", "Ends it: the run is aborted"),
];
