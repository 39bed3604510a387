// The place in the URL, and how to go elsewhere.

import { type Place, parsePlace, printPlace, withParams } from "../url/place.js";
import { createStore } from "./store.js";

export const place = createStore<Place>(parsePlace(location.hash));

addEventListener("hashchange", () => place.set(parsePlace(location.hash)));

/** A new entry of the history: back leads here again. */
export function go(next: Place): void {
  location.hash = printPlace(next);
}

/** The same entry: what is typed or dragged makes no history. */
export function adjust(changes: Readonly<Record<string, string | undefined>>): void {
  const next = withParams(place.get(), changes);
  history.replaceState(null, "", printPlace(next));
  place.set(next);
}

/** A new entry of the history for the same view. */
export function choose(changes: Readonly<Record<string, string | undefined>>): void {
  go(withParams(place.get(), changes));
}
