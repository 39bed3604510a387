// Data of the server in a view: the latest response, its age, and the problem of the latest
// request. A response stays on screen until a newer one arrives.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../state/store.js";
import { Problem } from "./problem.js";
import { token } from "./session.js";

export interface Resource<T> {
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  /** Arrival time of the value; 0 without one. */
  readonly at: number;
  readonly isLoading: boolean;
  reload(): void;
}

interface Answer<T> {
  readonly key: string;
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  readonly at: number;
  readonly isLoading: boolean;
}

/**
 * Requests when `key` changes and every `everyMs`; one request at a time, and none while the page
 * is hidden.
 * @param changes a new number sends a request at once; the shown value stays until the response
 */
export function useResource<T>(
  key: string | undefined,
  load: () => Promise<T>,
  everyMs?: number,
  changes = 0,
): Resource<T> {
  const asked = key ?? "";
  const empty: Answer<T> = { key: asked, value: undefined, problem: undefined, at: 0, isLoading: true };
  const [answer, setAnswer] = useState<Answer<T>>(empty);
  const latest = useRef(load);
  latest.current = load;
  const [turn, setTurn] = useState(0);
  const signedInAs = useStore(token);
  const now = useRef(() => {});

  // A new turn or token starts a new request.
  useEffect(() => {
    if (key === undefined) return;
    let isOver = false;
    let timer: number | undefined;
    let isAsking = false;
    let isStale = false;
    const again = (ms: number) => {
      timer = setTimeout(once, ms);
    };
    const once = async () => {
      if (document.hidden && everyMs !== undefined) return again(1000);
      isAsking = true;
      isStale = false;
      try {
        const value = await latest.current();
        if (isOver) return;
        setAnswer({ key, value, problem: undefined, at: Date.now(), isLoading: false });
        if (everyMs !== undefined) again(everyMs);
      } catch (error) {
        if (isOver) return;
        const problem = error instanceof Problem ? error : new Problem(0, { title: String(error) });
        setAnswer((before) => {
          const kept = before.key === key ? before : { value: undefined, at: 0 };
          return { key, value: kept.value, problem, at: kept.at, isLoading: false };
        });
        // Retries after a failure of the server or the connection.
        if (problem.status === 0 || problem.status >= 500) again(Math.max(2000, everyMs ?? 0));
        else if (everyMs !== undefined) again(everyMs);
      } finally {
        isAsking = false;
      }
      if (isStale && !isOver) now.current();
    };
    now.current = () => {
      isStale = isAsking;
      if (isAsking) return;
      clearTimeout(timer);
      void once();
    };
    void once();
    return () => {
      isOver = true;
      now.current = () => undefined;
      clearTimeout(timer);
    };
  }, [key, everyMs, turn, signedInAs]);

  const known = useRef(changes);
  useEffect(() => {
    if (known.current !== changes) now.current();
    known.current = changes;
  }, [changes]);

  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const { value, problem, at, isLoading } = answer.key === asked ? answer : empty;
  return { value, problem, at, isLoading, reload };
}
