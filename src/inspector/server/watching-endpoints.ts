// Dead letters, stalled nodes, steps that hold the event loop, alerts. Only the first worker reads
// a store of letters that processes share. Letters in the memory of a process are listed and
// re-driven in that process.

import { combine, path, query } from "#http/input/extractor.js";
import {
  DeadLetterQuery,
  DeadLetters,
  DiscardedLetter,
  Redriven,
  RedriveQuery,
} from "../api/dead-letters.js";
import { planned } from "../api/fault.js";
import { OffloadAdvice } from "../api/offload.js";
import type { Data, Given } from "../api/shapes.js";
import { type Alert, Alerts, Stalls } from "../api/watching.js";
import { DEFAULT_LIMIT } from "../dead-letters/dead-letters.js";
import { mergedAdvice, timesOf } from "../offload/advice.js";
import { actorOf } from "../operators/operator-log.js";
import { halved } from "../peers/across.js";
import { unionOfAlerts } from "../peers/alert-union.js";
import { type Endpoint, endpoint, having } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

type Letters = Data<typeof DeadLetters>;

const NO_LETTERS = planned("dead_letters", "No circuit of this server keeps dead letters that can be listed");
const NO_STALLS = planned("stalls", "This server looks for no nodes that stall");
const NO_ADVICE = planned("offload_advice", "This server times no steps");
const NO_ALERTS = planned("alerts", "This server raises no alerts");

export const watchingEndpoints = (parts: InspectorParts): readonly Endpoint[] => [
  ...deadLetterEndpoints(parts),
  endpoint(
    {
      route: "GET /api/v1/stalls",
      role: "viewer",
      summary: "Nodes that runs entered longer ago than the threshold and have not left",
      gives: Stalls,
      across: {
        merged: (own, others) => ({
          ...own,
          stalls: [own, ...others]
            .flatMap(({ stalls }) => stalls)
            .sort((one, other) => other.stalled_ms - one.stalled_ms),
        }),
      },
      run: having(parts.stalls, NO_STALLS, (stalls) => ({
        stalls: stalls.list(),
        threshold_ms: stalls.thresholdMs,
        workers_silent: 0,
      })),
    },
    parts.peers,
  ),
  endpoint(
    {
      route: "GET /api/v1/offload",
      role: "viewer",
      summary: "Steps that block the event loop long enough to be worth a thread",
      gives: OffloadAdvice,
      across: { merged: mergedAdvice },
      run: having(parts.offload, NO_ADVICE, (steps) => timesOf(steps.read())),
    },
    parts.peers,
  ),
  endpoint(
    {
      route: "GET /api/v1/alerts",
      role: "viewer",
      summary: "Alerts that are active or ended recently",
      gives: Alerts,
      across: {
        merged: (own, others) => ({
          ...own,
          alerts: [...unionOfAlerts([own, ...others].flatMap(({ alerts }) => alerts)).values()].sort(
            activeFirst,
          ),
        }),
        shortened: halved("alerts"),
      },
      run: having(parts.alerts, NO_ALERTS, (alerts) => ({ alerts: alerts.list(), workers_silent: 0 })),
    },
    parts.peers,
  ),
];

/** Then the newest first. */
const activeFirst = (one: Given<Alert>, other: Given<Alert>): number =>
  one.state === other.state ? other.since - one.since : one.state === "active" ? -1 : 1;

function deadLetterEndpoints({ deadLetters, operators, peers: all }: InspectorParts): readonly Endpoint[] {
  const peers = deadLetters?.isPerProcess === true ? all : undefined;
  const has = async ({ of: { id } }: { readonly of: ById }) => (await deadLetters?.has(id)) === true;
  const unknown = "DEAD_LETTER_UNKNOWN";
  return [
    endpoint(
      {
        route: "GET /api/v1/dlq",
        role: "viewer",
        summary: "Dead letters: steps and compensations that exhausted their retries",
        takes: DeadLetterQuery,
        gives: DeadLetters,
        across: {
          merged: (own, others, { input: { limit = DEFAULT_LIMIT }, silent }) => ({
            ...own,
            letters: [own, ...others]
              .flatMap(({ letters }) => letters)
              .sort((one, other) => one.failed_at - other.failed_at)
              .slice(0, limit),
            // Unknown while a worker is silent.
            total: silent > 0 ? null : [own, ...others].map(({ total }) => total).reduce(sumOrNull, 0),
          }),
          shortened: lessOf,
        },
        run: having(deadLetters, NO_LETTERS, (letters, query) => letters.page(query)),
      },
      peers,
    ),
    endpoint(
      {
        route: "POST /api/v1/dlq/:id/redrive",
        role: "operator",
        summary: "Re-drives a dead letter from the failed step, or the first that the run undid",
        input: combine({ of: path(ById), how: query(RedriveQuery) }),
        gives: Redriven,
        across: { owner: unknown, has },
        run: having(
          deadLetters,
          NO_LETTERS,
          (letters, { of: { id }, how: { skip_undone: skipUndone = false } }, by) =>
            letters.redrive(id, operators.intervention(actorOf(by)), { skipUndone }),
        ),
        acted: (act, { of: { id } }, by) =>
          operators.acted(by, { action: "inspector.letter.redrive", target: id }, act, (done) => ({
            circuit: done.circuit,
            node_id: done.node,
            run_id: done.run_id,
            result: done.result,
          })),
      },
      peers,
    ),
    endpoint(
      {
        route: "DELETE /api/v1/dlq/:id",
        role: "operator",
        summary: "Discards a dead letter: 204",
        takes: ById,
        passes: DiscardedLetter,
        statuses: [204],
        across: { owner: unknown },
        run: having(deadLetters, NO_LETTERS, (letters, { id }) => letters.discard(id)),
        acted: (act, { id }, by) =>
          operators.acted(by, { action: "inspector.letter.discard", target: id }, act, (discarded) => ({
            circuit: discarded.circuit,
            node_id: discarded.node,
            run_id: discarded.run_id,
          })),
        responds: () => undefined,
      },
      peers,
    ),
  ];
}

const sumOrNull = (sum: number | null, count: number | null): number | null =>
  sum === null || count === null ? null : sum + count;

/** The events before each failure are the largest part. */
const lessOf = (answer: Letters): Letters | undefined =>
  answer.letters.some(({ events }) => events.length > 0)
    ? { ...answer, letters: answer.letters.map((letter) => ({ ...letter, events: [] })) }
    : halved("letters")(answer);
