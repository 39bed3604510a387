// The token, from the fragment of the printed link or typed in. It is kept for this tab only and
// removed from the address bar.

import { createStore } from "../state/store.js";
import { takeToken } from "../url/place.js";

const KEY = "inspector.token";

export const token = createStore<string | undefined>(begin());
/** True if the server rejected the latest token. */
export const isRefused = createStore(false);

export function signIn(text: string): void {
  sessionStorage.setItem(KEY, text);
  isRefused.set(false);
  token.set(text);
}

/** Deletes the token and asks for another. */
export function refuseToken(): void {
  sessionStorage.removeItem(KEY);
  isRefused.set(true);
  token.set(undefined);
}

function begin(): string | undefined {
  const { token: given, rest } = takeToken(location.hash);
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", `${location.pathname}${rest === "" ? "#/" : rest}`);
  }
  return given ?? sessionStorage.getItem(KEY) ?? undefined;
}

// Handles the link of a restarted server opened in this tab.
addEventListener("hashchange", () => {
  const { token: given, rest } = takeToken(location.hash);
  if (given === undefined) return;
  history.replaceState(null, "", rest === "" ? "#/" : rest);
  signIn(given);
});
