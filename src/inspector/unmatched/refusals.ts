import type { MetricsWindow } from "../api/metrics.js";
import type { RefusalGroup, Refusals } from "../api/refusals.js";
import type { Data } from "../api/shapes.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import type { KeptTrace } from "../traces/kept-trace.js";
import { shownClient } from "../traces/pseudonym.js";
import type { TraceStore } from "../traces/trace-store.js";
import { MAX_UNMATCHED, type Unmatched } from "./unmatched.js";

type Found = Data<typeof Refusals>;

/** Of each kind. */
const MOST = 5;
/** No route is near. */
const NONE = "none";

interface Refused {
  readonly traces: Pick<TraceStore, "refused">;
  readonly unmatched: Pick<Unmatched, "list"> | undefined;
  readonly now: number;
}

export function refusalsIn(
  { traces, unmatched, now }: Refused,
  window: MetricsWindow,
  role: InspectorRole,
): Found {
  const since = window === "start" ? 0 : now - Number(window) * 1000;
  const runs = traces.refused(since);
  const { requests = [] } = unmatched?.list({ limit: MAX_UNMATCHED }) ?? {};
  const without = requests.filter(({ at }) => at >= since);
  const values = [
    ...runs.flatMap((run) => valuesOf(run, role)),
    ...without.map(({ nearest }): Value => ["unmatched", nearest ?? NONE]),
  ];
  const groups = values.flatMap(([by, value]) => (value == null ? [] : [{ by, value, count: 1 }]));
  return { runs: runs.length, unmatched: without.length, groups: joined(groups), workers_silent: 0 };
}

type Value = readonly [by: RefusalGroup["by"], value: string | null | undefined];

const valuesOf = ({ request, fault, exchange }: KeptTrace, role: InspectorRole): readonly Value[] => [
  ["code", fault?.code],
  ["route", request?.route && `${request.method} ${request.route}`],
  ["client", shownClient(exchange, role)],
  ...(fault?.pointers ?? []).map((pointer): Value => ["pointer", pointer]),
];

export const mergedRefusals = (answers: readonly [Found, ...Found[]]): Found => ({
  ...answers[0],
  runs: answers.reduce((sum, { runs }) => sum + runs, 0),
  unmatched: answers.reduce((sum, { unmatched }) => sum + unmatched, 0),
  groups: joined(answers.flatMap(({ groups }) => groups)),
});

/** The largest first. */
function joined(groups: readonly RefusalGroup[]): RefusalGroup[] {
  const known = new Map<string, RefusalGroup>();
  for (const group of groups) {
    const key = `${group.by} ${group.value}`;
    known.set(key, { ...group, count: group.count + (known.get(key)?.count ?? 0) });
  }
  const sorted = [...known.values()].sort((a, b) => b.count - a.count);
  return sorted.filter((group) => sorted.filter(({ by }) => by === group.by).indexOf(group) < MOST);
}
