// What a view shows of the server: the last answer, how old it is, and what is wrong with
// the newest question. An answer stays on screen until there is a better one.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../state/store.js";
import { Problem } from "./problem.js";
import { token } from "./session.js";

export interface Resource<T> {
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  /** When the value came; 0 while there is none. */
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
 * Asks when `key` changes and every `everyMs`; never twice at once, and not while nobody looks.
 * @param changes asks at once when it is another number; what is shown stays until the answer comes
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

  // Another turn or token asks again.
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
        // It mends itself where the server was away, and where a figure is asked for again anyhow.
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
