// Pages of audit events. Nothing is requested again by itself: each page costs the store a query.

import { useEffect, useRef, useState } from "preact/hooks";

import type { AuditEventsQuery, ShownAuditEvent } from "../../../api/audit.js";
import { type AuditEventsData, api } from "../../client/api.js";
import { Problem } from "../../client/problem.js";
import { type Resource, useResource } from "../../client/resource.js";
import type { Place } from "../../url/place.js";

/** Limit of rows in the page's memory. */
const MAX_ROWS = 10_000;

export interface Events extends Resource<AuditEventsData> {
  /** The newest first. */
  readonly rows: readonly ShownAuditEvent[];
  /** Number of events that were read for them. */
  readonly read: number;
  readonly hasOlder: boolean;
  readonly isAsking: boolean;
  /** The problem of the latest request of an older page. */
  readonly notOlder: Problem | undefined;
  older(): void;
}

interface Further {
  readonly of: AuditEventsData;
  readonly rows: readonly ShownAuditEvent[];
  readonly next: number | null;
  readonly read: number;
}

/** The query in the URL. */
export function queryOf({ params }: Place): AuditEventsQuery {
  const moment = (name: string): number => Date.parse(params.get(name) ?? "");
  const texts = ["actor", "action", "target", "run", "text"].flatMap((name) => {
    const value = params.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const moments = ["since", "until"].flatMap((name) =>
    Number.isNaN(moment(name)) ? [] : [[name, moment(name)]],
  );
  return Object.fromEntries([...texts, ...moments]) as AuditEventsQuery;
}

export function useEvents(query: AuditEventsQuery): Events {
  const key = JSON.stringify(query);
  const first = useResource(`audit events ${key}`, () => api.auditEvents(query));
  const [further, setFurther] = useState<Further | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  const [notOlder, setNotOlder] = useState<Problem | undefined>(undefined);
  // A response to an earlier query, or after a reload, is ignored.
  const latest = useRef(first.value);
  latest.current = first.value;
  useEffect(() => {
    setAsking(false);
    setNotOlder(undefined);
  }, [first.value]);
  const { value } = first;
  const shown = further?.of === value ? further : undefined;
  const { rows = [], next = null, read = 0 } = shown ?? { ...value, rows: value?.events };
  const older = async () => {
    if (value === undefined || next === null || isAsking) return;
    setAsking(true);
    setNotOlder(undefined);
    try {
      const page = await api.auditEvents({ ...query, before: next });
      if (latest.current !== value) return;
      // By run, events of older pages may be listed already.
      const all = new Map([...rows, ...page.events].map((row) => [row.position, row]));
      const sorted = [...all.values()].sort((one, other) => other.position - one.position);
      setFurther({ of: value, rows: sorted, next: page.next, read: read + page.read });
    } catch (error) {
      if (latest.current !== value) return;
      setNotOlder(error instanceof Problem ? error : new Problem(0, { title: String(error) }));
    }
    setAsking(false);
  };
  return {
    ...first,
    ...{ rows, read, isAsking, notOlder },
    hasOlder: next !== null && rows.length < MAX_ROWS,
    older: () => void older(),
  };
}
