// The token. It comes in the fragment of the link that the server printed, or is typed in;
// it is kept for this tab alone and never stands in the address bar afterwards.

import { createStore } from "../state/store.js";
import { takeToken } from "../url/place.js";

const KEY = "inspector.token";

export const token = createStore<string | undefined>(begin());
/** The server did not take the token that was tried last. */
export const isRefused = createStore(false);

export function signIn(text: string): void {
  sessionStorage.setItem(KEY, text);
  isRefused.set(false);
  token.set(text);
}

/** The token is forgotten, and another asked for. */
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

// The link of a server that was started again, opened in this tab.
addEventListener("hashchange", () => {
  const { token: given, rest } = takeToken(location.hash);
  if (given === undefined) return;
  history.replaceState(null, "", rest === "" ? "#/" : rest);
  signIn(given);
});
