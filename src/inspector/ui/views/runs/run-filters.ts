// The query of the runs list, from the URL.

import type { TraceQuery } from "../../../api/traces.js";
import type { Place } from "../../url/place.js";

export function queryOf({ params }: Place): TraceQuery {
  const status = params.get("status");
  const min = Number(params.get("min_us"));
  const text = (key: string): string | undefined => params.get(key);
  return withoutUndefined({
    circuit: text("circuit"),
    route: text("route"),
    node: text("node"),
    request_id: text("request"),
    status: status === "completed" || status === "faulted" || status === "aborted" ? status : undefined,
    min_duration_us: Number.isFinite(min) && min > 0 ? min : undefined,
    order: params.get("order") === "slowest" ? "slowest" : undefined,
  });
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}
