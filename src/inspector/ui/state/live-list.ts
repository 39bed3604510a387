// A list that is loaded whole and updated by the feed or by actions on this page. A response is as
// old as its request: it does not overwrite a newer update.

import { createStore, type Store } from "./store.js";

export interface LiveList<T> extends Store<readonly T[]> {
  /**
   * Loads the list, stores it, and resolves to the response. Repeats the request if an update
   * arrives meanwhile.
   */
  ask<A>(load: () => Promise<A>, listOf: (answer: A) => readonly T[]): Promise<A>;
}

/** Limit of repeated requests; after it the updates are kept until the next load. */
const MAX_QUESTIONS = 3;

export function createLiveList<T>(): LiveList<T> {
  const list = createStore<readonly T[]>([]);
  // A common counter orders requests and updates.
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
