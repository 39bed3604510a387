// The query of the runs list, from the URL.

import type { RunFilter } from "../../../api/run-filter.js";
import type { TraceQuery } from "../../../api/traces.js";
import type { Place } from "../../url/place.js";

/** The filters of ended runs, in Runs and Live. */
export const END_FILTERS = [
  {
    kind: "segments",
    name: "outcome",
    label: "Outcome",
    options: [
      ["", "All"],
      ["completed", "Completed"],
      ["refused", "Refused"],
      ["error", "Errors"],
      ["aborted", "Aborted"],
    ],
  },
  { kind: "field", name: "http_status", label: "Status", pattern: "[1-5](xx|[0-9]{2})", hint: "403, or 5xx" },
  { kind: "field", name: "code", label: "Code", hint: "Code of the fault" },
] as const;

/** Of runs and of durable runs. */
export const LABEL_FILTER = {
  kind: "field",
  name: "label",
  label: "Label",
  pattern: "[A-Za-z][A-Za-z0-9_]{0,39}:.*",
  hint: "Name and value: order:123",
} as const;

/** A label that the server would refuse selects nothing. */
export function labelOf({ params }: Place): string | undefined {
  const label = params.get("label");
  return label !== undefined && /^[A-Za-z]\w{0,39}:/.test(label) && label.length <= 300 ? label : undefined;
}

/** What these filters select. A value that the server would refuse selects nothing. */
export function endsIn({ params }: Place): RunFilter {
  const [outcome, status] = [params.get("outcome"), params.get("http_status")];
  return withoutUndefined({
    outcome: OUTCOMES.find((one) => one === outcome),
    http_status: status !== undefined && /^[1-5](?:xx|\d\d)$/.test(status) ? status : undefined,
    code: params.get("code"),
  });
}

const OUTCOMES = ["completed", "refused", "error", "aborted"] as const;

export function queryOf(here: Place): TraceQuery {
  const { params } = here;
  const min = Number(params.get("min_us"));
  const text = (key: string): string | undefined => params.get(key);
  return withoutUndefined({
    circuit: text("circuit"),
    route: text("route"),
    node: text("node"),
    request_id: text("request"),
    pointer: text("pointer"),
    client: text("client"),
    ...endsIn(here),
    label: labelOf(here),
    min_duration_us: Number.isFinite(min) && min > 0 ? min : undefined,
    order: params.get("order") === "slowest" ? "slowest" : undefined,
  });
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}
