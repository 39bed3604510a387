// Pages of runs: the first is asked for again and again while it is the only one; who reads
// further has the table stand still.

import { useEffect, useState } from "preact/hooks";

import type { TraceQuery, TraceRow } from "../../../api/traces.js";
import { api, type TracesData } from "../../client/api.js";
import { type Resource, useResource } from "../../client/resource.js";

const PAGE = 100;
const AGAIN_MS = 3000;
/** Rows that the page keeps. */
const MAX_ROWS = 20_000;

export interface Runs extends Resource<TracesData> {
  readonly rows: readonly TraceRow[];
  readonly hasMore: boolean;
  readonly isFollowing: boolean;
  more(): void;
}

interface Further {
  readonly key: string;
  readonly rows: readonly TraceRow[];
  readonly cursor: string | null;
}

export function useRuns(query: TraceQuery): Runs {
  const key = JSON.stringify(query);
  const [further, setFurther] = useState<Further | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const mine = further?.key === key ? further : undefined;
  const first = useResource(
    `runs ${key}`,
    () => api.traces({ ...query, limit: PAGE }),
    mine === undefined ? AGAIN_MS : undefined,
  );
  useEffect(() => setFurther(undefined), [key]);

  const rows = mine?.rows ?? first.value?.traces ?? [];
  const cursor = mine === undefined ? (first.value?.cursor ?? null) : mine.cursor;
  const more = () => {
    if (cursor === null || isAsking || rows.length >= MAX_ROWS) return;
    setAsking(true);
    api
      .traces({ ...query, limit: PAGE, cursor })
      .then(
        (next) => setFurther({ key, rows: [...rows, ...next.traces], cursor: next.cursor }),
        () => undefined,
      )
      .finally(() => setAsking(false));
  };
  return {
    ...first,
    rows,
    hasMore: cursor !== null,
    isFollowing: mine === undefined,
    more,
    reload() {
      setFurther(undefined);
      first.reload();
    },
  };
}
