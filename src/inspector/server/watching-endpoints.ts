// Dead letters, stalled nodes, steps that hold the event loop, alerts.

import type { Static } from "@sinclair/typebox";

import { isFault } from "#core/bus/outcome.js";
import { combine, path, query } from "#http/input/extractor.js";
import { DeadLetterQuery, DeadLetters, Redriven, RedriveQuery } from "../api/dead-letters.js";
import { planned } from "../api/fault.js";
import { OffloadAdvice } from "../api/offload.js";
import { Alerts, Stalls } from "../api/watching.js";
import { actorOf } from "../operators/operator-log.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import type { DeadLettersPart, InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const NO_LETTERS = planned("dead_letters", "No circuit of this server keeps dead letters that can be listed");
const NO_STALLS = planned("stalls", "This server looks for no nodes that stall");
const NO_ADVICE = planned("offload_advice", "This server times no steps");
const NO_ALERTS = planned("alerts", "This server raises no alerts");

export const watchingEndpoints = ({
  deadLetters,
  stalls,
  alerts,
  offload,
  operators,
}: InspectorParts): readonly Endpoint[] => [
  ...deadLetterEndpoints(deadLetters, operators),
  endpoint({
    route: "GET /api/v1/stalls",
    role: "viewer",
    summary: "Nodes that runs have entered and not left for longer than the threshold",
    gives: Stalls,
    run: async () => (stalls === undefined ? NO_STALLS : enveloped("stalls", await stalls.list())),
  }),
  endpoint({
    route: "GET /api/v1/offload",
    role: "viewer",
    summary: "Steps that hold the event loop so long that a thread would pay",
    gives: OffloadAdvice,
    run: async () => (offload === undefined ? NO_ADVICE : enveloped("offload_advice", await offload.list())),
  }),
  endpoint({
    route: "GET /api/v1/alerts",
    role: "viewer",
    summary: "Alerts that are active, or were not long ago",
    gives: Alerts,
    run: async () => (alerts === undefined ? NO_ALERTS : enveloped("alerts", await alerts.list())),
  }),
];

const deadLetterEndpoints = (
  letters: DeadLettersPart | undefined,
  operators: InspectorParts["operators"],
): readonly Endpoint[] => [
  endpoint<Static<typeof DeadLetterQuery>>({
    route: "GET /api/v1/dlq",
    role: "viewer",
    summary: "Dead letters: steps and compensations that failed for good",
    takes: DeadLetterQuery,
    gives: DeadLetters,
    run: async (query) => {
      const listed = letters === undefined ? NO_LETTERS : await letters.list(query);
      return isFault(listed) ? listed : enveloped("dead_letters", listed);
    },
  }),
  endpoint<{ readonly of: ById; readonly how: RedriveQuery }>({
    route: "POST /api/v1/dlq/:id/redrive",
    role: "operator",
    summary: "Runs it again from the step that failed, or the first that the run undid",
    input: combine({ of: path(ById), how: query(RedriveQuery) }),
    gives: Redriven,
    run: async ({ of: { id }, how: { skip_undone = false } }, by) => {
      if (letters === undefined) return NO_LETTERS;
      const action = { action: "inspector.letter.redrive", target: id } as const;
      const redrive = () => letters.redrive(id, actorOf(by), skip_undone);
      const done = await operators.acted(by, action, redrive, ({ circuit, node, run_id, result }) => ({
        circuit,
        node_id: node,
        run_id,
        result,
      }));
      return isFault(done) ? done : enveloped("redriven", done);
    },
  }),
  endpoint<ById>({
    route: "DELETE /api/v1/dlq/:id",
    role: "operator",
    summary: "Discards it: 204",
    takes: ById,
    run: async ({ id }, by) => {
      if (letters === undefined) return NO_LETTERS;
      const action = { action: "inspector.letter.discard", target: id } as const;
      const discard = () => letters.discard(id);
      const done = await operators.acted(by, action, discard, ({ circuit, node, run_id }) => ({
        circuit,
        node_id: node,
        run_id,
      }));
      return isFault(done) ? done : undefined;
    },
  }),
];
