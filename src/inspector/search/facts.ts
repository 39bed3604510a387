// Ids, names, codes, statuses and labels by which runs, letters and requests are found.

import { visible } from "#core/wire/visible-text.js";
import type { DeadLetterRow } from "../api/dead-letters.js";
import type { UnfinishedRuns } from "../api/runs.js";
import type { Hit } from "../api/search.js";
import type { Data } from "../api/shapes.js";
import type { TraceRow } from "../api/traces.js";
import type { UnmatchedRequest } from "../api/unmatched.js";

/** An id is found by its beginning, a status as a whole, a name by any part. */
type How = "id" | "whole" | "name";
type Fact = readonly [by: string, text: string | null | undefined, how: How];
type Told = Omit<Hit, "by" | "text" | "is_whole">;
export type DurableRow = Pick<
  Data<typeof UnfinishedRuns>["runs"][number],
  "run_id" | "circuit" | "last_at" | "trace_id" | "labels"
>;

const MAX_TEXT = 200;

/** The hit of the first fact that is the wanted text, else of the first that has it. `wanted` is in lower case. */
function hitIn(facts: readonly Fact[], wanted: string, told: Told): Hit | undefined {
  let part: Hit | undefined;
  for (const [by, text, how] of facts) {
    const at = text?.toLowerCase().indexOf(wanted) ?? -1;
    if (text == null || at < 0) continue;
    const is_whole = text.length === wanted.length;
    const hit = { ...told, title: visible(told.title), by, text: visible(text.slice(0, MAX_TEXT)), is_whole };
    if (is_whole) return hit;
    if (how === "name" || (how === "id" && at === 0)) part ??= hit;
  }
  return part;
}

const labelFacts = (labels: TraceRow["labels"] = {}): readonly Fact[] =>
  Object.entries(labels).flatMap(([name, value]): readonly Fact[] => [
    [`label ${name}`, value, "name"],
    [`label ${name}`, `${name}:${value}`, "whole"],
  ]);

const ORIGINS = { redrive: "letter id", resume: "durable run id", rerun: "id of the first run" } as const;

export function runHit(run: TraceRow, wanted: string): Hit | undefined {
  const { run_id: id, circuit, request, fault, goes_on: goesOn, labels, ended_at: at } = run;
  const facts: readonly Fact[] = [
    ["run id", id, "id"],
    ["request id", request?.request_id, "id"],
    ["trace id", request?.trace_id, "id"],
    [goesOn === null ? "" : ORIGINS[goesOn.kind], goesOn?.id, "id"],
    ...labelFacts(labels),
    ["code", fault?.code, "name"],
    ["status", request?.http_status?.toString(), "whole"],
    ["route", request?.route && `${request.method} ${request.route}`, "name"],
    ["path", request?.path, "name"],
    ["circuit", circuit, "name"],
    ["node", fault?.node, "name"],
  ];
  return hitIn(facts, wanted, { kind: "run", id, title: titleOf(run), at });
}

export const titleOf = ({ circuit, request, fault }: TraceRow): string =>
  [request === null ? circuit : `${request.method} ${request.path}`, request?.http_status, fault?.code]
    .filter((part) => part != null)
    .join(" ");

export function durableHit(run: DurableRow, wanted: string): Hit | undefined {
  const { run_id: id, circuit, last_at: at, trace_id, labels } = run;
  const facts: readonly Fact[] = [
    ["run id", id, "id"],
    ["trace id", trace_id, "id"],
    ...labelFacts(labels),
    ["circuit", circuit, "name"],
  ];
  return hitIn(facts, wanted, { kind: "durable_run", id, title: circuit, at });
}

export function letterHit(letter: DeadLetterRow, wanted: string): Hit | undefined {
  const { id, circuit, node, error, run_id, trace_id, labels, failed_at: at } = letter;
  const facts: readonly Fact[] = [
    ["letter id", id, "id"],
    ["run id", run_id, "id"],
    ["trace id", trace_id, "id"],
    ...labelFacts(labels),
    ["code", error.code, "name"],
    ["node", node, "name"],
    ["circuit", circuit, "name"],
  ];
  return hitIn(facts, wanted, { kind: "letter", id, title: `${node} ${error.code ?? error.title}`, at });
}

export function unmatchedHit(request: UnmatchedRequest, wanted: string): Hit | undefined {
  const { request_id: id, method, path, status, code, at } = request;
  const facts: readonly Fact[] = [
    ["request id", id, "id"],
    ["code", code, "name"],
    ["status", status?.toString(), "whole"],
    ["path", path, "name"],
  ];
  const title = [method, path, status].filter((part) => part !== null).join(" ");
  return hitIn(facts, wanted, { kind: "unmatched", id: id ?? "", title, at });
}
