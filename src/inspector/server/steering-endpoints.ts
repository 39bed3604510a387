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
import { halved } from "../peers/across.js";
import { type Endpoint, endpoint, having, readingEndpoint } from "./endpoint.js";
import { optionalJson } from "./optional-json.js";
import type { InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const NO_BREAKPOINTS = planned("breakpoints", "This server holds no runs");

export const steeringEndpoints = (parts: InspectorParts): readonly Endpoint[] => [
  ...breakpointEndpoints(parts),
  ...pausedEndpoints(parts),
];

const breakpointEndpoints = ({ steering, operators }: InspectorParts): readonly Endpoint[] => {
  const targetOf = async (id: string): Promise<string> => (await steering?.nodeOf(id)) ?? id;
  return [
    endpoint({
      route: "GET /api/v1/breakpoints",
      role: "viewer",
      summary: "All breakpoints",
      gives: Breakpoints,
      run: having(steering, NO_BREAKPOINTS, (part) => part.list()),
    }),
    endpoint({
      route: "POST /api/v1/breakpoints",
      role: "operator",
      summary: "Sets a breakpoint: 201",
      takes: NewBreakpoint,
      gives: OneBreakpoint,
      run: having(steering, NO_BREAKPOINTS, (part, wanted) => part.set(wanted)),
      acted: (act, { node_id: target }, by) =>
        operators.acted(by, { action: "inspector.breakpoint.set", target }, act, factsOf),
      statuses: [201],
      responds: ({ id }, body) =>
        respond({
          status: 201,
          headers: { location: `/api/v1/breakpoints/${encodeURIComponent(id)}` },
          body,
        }),
    }),
    endpoint({
      route: "GET /api/v1/breakpoints/:id",
      role: "viewer",
      summary: "One breakpoint with its snapshots",
      takes: ById,
      gives: OneBreakpoint,
      run: having(steering, NO_BREAKPOINTS, (part, { id }) => part.get(id)),
    }),
    endpoint({
      route: "PATCH /api/v1/breakpoints/:id",
      role: "operator",
      summary: "Changes, enables or disables a breakpoint",
      input: combine({ of: path(ById), change: json(BreakpointChange) }),
      gives: OneBreakpoint,
      run: having(steering, NO_BREAKPOINTS, (part, { of: { id }, change }) => part.change(id, change)),
      acted: async (act, { of: { id } }, by) => {
        const action = { action: "inspector.breakpoint.change", target: await targetOf(id) } as const;
        return operators.acted(by, action, act, factsOf);
      },
    }),
    endpoint({
      route: "DELETE /api/v1/breakpoints/:id",
      role: "operator",
      summary: "Deletes a breakpoint and resumes the runs that it holds: 204",
      statuses: [204],
      takes: ById,
      run: having(steering, NO_BREAKPOINTS, (part, { id }) => part.remove(id)),
      acted: async (act, { id }, by) => {
        const action = { action: "inspector.breakpoint.delete", target: await targetOf(id) } as const;
        return operators.acted(by, action, act, () => ({ breakpoint: id }));
      },
    }),
  ];
};

const release = optionalJson(Release, "A release");

const releasing = (
  { steering, operators, peers }: InspectorParts,
  how: "resume" | "step" | "abort",
  summary: string,
): Endpoint =>
  readingEndpoint(
    release,
    {
      route: `POST /api/v1/paused/:id/${how}`,
      role: "operator",
      summary,
      input: combine({ of: path(ById), body: bytes() }),
      gives: Released,
      across: { owner: "PAUSED_RUN_UNKNOWN" },
      run: having(steering, NO_BREAKPOINTS, (part, { of: { id }, request }) =>
        part.release(id, how, how === "abort" ? {} : request),
      ),
      acted: async (act, { of: { id }, request }, by) => {
        const target = (await steering?.runOf(id)) ?? id;
        const action = { action: `inspector.run.${how}`, target } as const;
        const released = await operators.acted(by, action, act, ({ run_id, circuit, node_id, held_ms }) => ({
          run_id,
          circuit,
          node_id,
          held_ms,
        }));
        if (!isFault(released) && how !== "abort" && Object.hasOwn(request, "input")) {
          const edit = { action: "inspector.payload.edit", target: released.run_id } as const;
          await operators.record(by, edit, editFacts(released, request));
        }
        return released;
      },
    },
    peers,
  );

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

const factsOf = ({
  id,
  circuit,
  node_id,
  condition,
  mode,
  hold_ms,
  max_hits,
  enabled,
}: Omit<Breakpoint, "snapshots">) => ({
  breakpoint: id,
  circuit,
  node_id,
  condition,
  mode,
  hold_ms,
  max_hits,
  enabled,
});

const pausedEndpoints = (parts: InspectorParts): readonly Endpoint[] => [
  endpoint(
    {
      route: "GET /api/v1/paused",
      role: "viewer",
      summary: "The held runs",
      gives: PausedRuns,
      across: {
        merged: (own, others, { silent }) => ({
          ...own,
          paused: [own, ...others]
            .flatMap(({ paused }) => paused)
            .sort((one, other) => one.since - other.since),
          limit: own.limit * (1 + others.length + silent),
        }),
        shortened: halved("paused"),
      },
      run: having(parts.steering, NO_BREAKPOINTS, (steering) => steering.paused()),
    },
    parts.peers,
  ),
  releasing(parts, "resume", "Resumes a held run with its input or an edited one"),
  releasing(parts, "step", "Resumes a held run and holds it at its next node"),
  releasing(parts, "abort", "Aborts a held run"),
];
