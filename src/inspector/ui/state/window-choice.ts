// The window of the figures on screen, in the URL: 1, 10 or 60 seconds.

import { choose, place } from "./router.js";
import { useStore } from "./store.js";

export type Seconds = "1" | "10" | "60";

export const WINDOWS: readonly (readonly [Seconds, string])[] = [
  ["1", "1 s"],
  ["10", "10 s"],
  ["60", "60 s"],
];

export function useWindow(): { readonly seconds: Seconds; choose(next: Seconds): void } {
  const seconds = useStore(place, ({ params }) => secondsOf(params.get("window")));
  return { seconds, choose: (next) => choose({ window: next === "60" ? undefined : next }) };
}

const secondsOf = (text: string | undefined): Seconds => (text === "1" || text === "10" ? text : "60");
