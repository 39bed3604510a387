// Pages of runs. The first page is refreshed while it is the only one. The table stands still once
// further pages are loaded or a row has the focus.

import { useEffect, useRef, useState } from "preact/hooks";

import type { TraceQuery, TraceRow } from "../../../api/traces.js";
import { api, type TracesData } from "../../client/api.js";
import { Problem } from "../../client/problem.js";
import { type Resource, useResource } from "../../client/resource.js";

const PAGE = 100;
const AGAIN_MS = 3000;
/** Limit of rows in the page's memory. */
const MAX_ROWS = 20_000;

export interface Runs extends Resource<TracesData> {
  readonly rows: readonly TraceRow[];
  readonly hasMore: boolean;
  readonly isFollowing: boolean;
  /** True if more than the first page is shown. */
  readonly isFurther: boolean;
  /** The problem of the latest page request. */
  readonly notMore: Problem | undefined;
  more(): void;
}

interface Further {
  readonly key: string;
  readonly rows: readonly TraceRow[];
  readonly cursor: string | null;
}

/**
 * @param isStill true to keep the rows as they are: new rows would push the focused row out of the
 * DOM, and the focus with it
 */
export function useRuns(query: TraceQuery, isStill: boolean): Runs {
  const key = JSON.stringify(query);
  const [further, setFurther] = useState<Further | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const [notMore, setNotMore] = useState<Problem | undefined>(undefined);
  const still = useRef(isStill);
  still.current = isStill;
  const shown = useRef<{ readonly key: string; readonly data: TracesData } | undefined>(undefined);
  const mine = further?.key === key ? further : undefined;
  const first = useResource(
    `runs ${key}`,
    async () => {
      const stands = () => (still.current && shown.current?.key === key ? shown.current.data : undefined);
      const data = stands() ?? (await api.traces({ ...query, limit: PAGE }));
      // A row may have got the focus meanwhile.
      shown.current = { key, data: stands() ?? data };
      return shown.current.data;
    },
    mine === undefined ? AGAIN_MS : undefined,
  );
  // Responses and failures of earlier queries are ignored.
  const turn = useRef(0);
  const restart = () => {
    turn.current += 1;
    setFurther(undefined);
    setNotMore(undefined);
    setAsking(false);
  };
  useEffect(restart, [key]);

  const rows = mine?.rows ?? first.value?.traces ?? [];
  const cursor = mine === undefined ? (first.value?.cursor ?? null) : mine.cursor;
  const more = () => {
    if (cursor === null || isAsking || rows.length >= MAX_ROWS) return;
    setAsking(true);
    setNotMore(undefined);
    const asked = turn.current;
    const told = (take: () => void) => {
      if (asked !== turn.current) return;
      take();
      setAsking(false);
    };
    api.traces({ ...query, limit: PAGE, cursor }).then(
      (next) => told(() => setFurther({ key, rows: [...rows, ...next.traces], cursor: next.cursor })),
      (error: unknown) => told(() => error instanceof Problem && setNotMore(error)),
    );
  };
  return {
    ...first,
    rows,
    hasMore: cursor !== null,
    isFollowing: mine === undefined && !isStill,
    isFurther: mine !== undefined,
    notMore,
    more,
    reload() {
      restart();
      shown.current = undefined;
      first.reload();
    },
  };
}
