// The trace of a run. A run in flight has no trace: the hook returns where it is held, and repeats
// the request until the trace exists.

import { useEffect, useState } from "preact/hooks";

import type { Trace } from "../../../api/traces.js";
import { api } from "../../client/api.js";
import { type Resource, useResource } from "../../client/resource.js";
import { paused, stalls } from "../../state/live.js";
import { useStore } from "../../state/store.js";

const AGAIN_MS = 2000;

export interface Waiting {
  readonly how: "held at" | "stalled at";
  readonly circuit: string;
  readonly node: string;
  readonly label: string;
}

export interface Run extends Resource<Trace> {
  readonly waiting: Waiting | undefined;
  /** True if the run was held when last seen, and has resumed. */
  readonly isUnderWay: boolean;
}

export function useRun(id: string): Run {
  const waiting = useWaiting(id);
  const isWaiting = waiting !== undefined;
  const [isUnderWay, setUnderWay] = useState(isWaiting);
  const trace = useResource(`run ${id}`, () => api.trace(id), isUnderWay ? AGAIN_MS : undefined);
  const isThere = trace.value !== undefined;
  useEffect(() => {
    if (isThere) setUnderWay(false);
    else if (isWaiting) setUnderWay(true);
  }, [isWaiting, isThere]);
  return { ...trace, waiting, isUnderWay };
}

function useWaiting(id: string): Waiting | undefined {
  const held = useStore(paused, (all) => all.find(({ run_id }) => run_id === id));
  const stall = useStore(stalls, (all) => all.find(({ run_id }) => run_id === id));
  if (held !== undefined) return { how: "held at", ...held, node: held.node_id };
  return stall === undefined ? undefined : { how: "stalled at", ...stall };
}
