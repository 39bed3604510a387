import type { DeadLetterSink, DeadLetterStore } from "#core/dead-letter.js";

/** The sinks that can be read: dead letters of the others are somebody else's to list. */
export const deadLetterStoresOf = (sinks: readonly DeadLetterSink[]): readonly DeadLetterStore[] =>
  sinks.filter(isStore);

const isStore = (sink: DeadLetterSink): sink is DeadLetterStore => {
  const { list, get, remove } = sink as Partial<DeadLetterStore>;
  return [list, get, remove].every((call) => typeof call === "function");
};
