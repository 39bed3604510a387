// The current place, and navigation.

import { type Place, parsePlace, printPlace, withParams } from "../url/place.js";
import { createStore } from "./store.js";

export const place = createStore<Place>(parsePlace(location.hash));

addEventListener("hashchange", () => place.set(parsePlace(location.hash)));

/** Adds a history entry: Back returns here. */
export function go(next: Place): void {
  location.hash = printPlace(next);
}

/** Replaces the history entry: typing and dragging add none. */
export function adjust(changes: Readonly<Record<string, string | undefined>>): void {
  const next = withParams(place.get(), changes);
  history.replaceState(null, "", printPlace(next));
  place.set(next);
}

/** Adds a history entry for the same view. */
export function choose(changes: Readonly<Record<string, string | undefined>>): void {
  go(withParams(place.get(), changes));
}
