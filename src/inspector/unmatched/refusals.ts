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
  const groups = [
    ...runs.flatMap((run) => groupsOf(run, role)),
    ...without.map(({ at, method, path, nearest }): RefusalGroup => {
      return { by: "unmatched", value: nearest ?? "", count: 1, at, example: `${method} ${path}` };
    }),
  ];
  return { runs: runs.length, unmatched: without.length, groups: joined(groups), workers_silent: 0 };
}

function groupsOf(run: KeptTrace, role: InspectorRole): readonly RefusalGroup[] {
  const { request, fault, circuit, startedAt: at } = run;
  const example = request === null ? circuit : `${request.method} ${request.path}`;
  const values: readonly (readonly [RefusalGroup["by"], string | null | undefined])[] = [
    ["code", fault?.code],
    ["route", request?.route && `${request.method} ${request.route}`],
    ["client", shownClient(run.exchange, role)],
    ...(fault?.pointers ?? []).map((pointer) => ["pointer", pointer] as const),
  ];
  return values.flatMap(([by, value]) => (value == null ? [] : [{ by, value, count: 1, at, example }]));
}

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
    const before = known.get(key);
    const newest = before === undefined || group.at > before.at ? group : before;
    known.set(key, { ...newest, count: group.count + (before?.count ?? 0) });
  }
  const taken = new Map<string, number>();
  return [...known.values()]
    .sort((a, b) => b.count - a.count || b.at - a.at)
    .filter(({ by }) => {
      const count = (taken.get(by) ?? 0) + 1;
      taken.set(by, count);
      return count <= MOST;
    });
}
