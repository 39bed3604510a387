// The token. It comes in the fragment of the link that the server printed, or is typed in;
// it is kept for this tab alone and never stands in the address bar afterwards.

import { createStore } from "../state/store.js";
import { takeToken } from "../url/place.js";

const KEY = "inspector.token";

export const token = createStore<string | undefined>(begin());

export function signIn(text: string): void {
  sessionStorage.setItem(KEY, text);
  token.set(text);
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
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
