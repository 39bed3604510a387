// A list that is asked for whole, and changed by what is told of it: by the feed, or by what was
// done here. An answer is as old as its question, so it is left alone where something newer is.

import { createStore, type Store } from "./store.js";

export interface LiveList<T> extends Store<readonly T[]> {
  /** Hands the answer on, and takes its list. Where something is told meanwhile it is asked again. */
  ask<A>(load: () => Promise<A>, listOf: (answer: A) => readonly T[]): Promise<A>;
}

/** Where more is told than answers come between, what is told is enough until the next question. */
const MAX_QUESTIONS = 3;

export function createLiveList<T>(): LiveList<T> {
  const list = createStore<readonly T[]>([]);
  // Turns count questions and what is told, in the order they come.
  let turn = 0;
  let toldAt = 0;
  let answeredAt = 0;
  return {
    ...list,
    set(next) {
      turn += 1;
      toldAt = turn;
      list.set(next);
    },
    async ask(load, listOf) {
      for (let questions = 1; ; questions += 1) {
        turn += 1;
        const askedAt = turn;
        const answer = await load();
        if (askedAt < answeredAt) return answer;
        if (askedAt > toldAt) {
          answeredAt = askedAt;
          list.set(listOf(answer));
          return answer;
        }
        if (questions === MAX_QUESTIONS) return answer;
      }
    },
  };
}
