// An observable value for components. A component renders again when its selected value changes.

import { useEffect, useRef, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(next: T | ((before: T) => T)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const after = typeof next === "function" ? (next as (before: T) => T)(value) : next;
      if (Object.is(after, value)) return;
      value = after;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T;
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S;
export function useStore<T, S>(store: Store<T>, select: (value: T) => S | T = (value) => value): S | T {
  const selected = select(store.get());
  const [, draw] = useState(0);
  const drawn = useRef(selected);
  drawn.current = selected;
  const latest = useRef(select);
  latest.current = select;
  useEffect(() => {
    const check = () => {
      if (!Object.is(latest.current(store.get()), drawn.current)) draw((n) => n + 1);
    };
    // The value may have changed between render and subscription.
    check();
    return store.subscribe(check);
  }, [store]);
  return selected;
}
