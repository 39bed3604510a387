// Light or dark: the system's setting until the operator chooses.

import { createStore } from "./store.js";

const KEY = "inspector.theme";

export type Theme = "system" | "light" | "dark";

export const theme = createStore<Theme>(stored());

export function showTheme(): void {
  const chosen = theme.get();
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
}

export function chooseTheme(next: Theme): void {
  if (next === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  theme.set(next);
  showTheme();
}

function stored(): Theme {
  const text = localStorage.getItem(KEY);
  return text === "light" || text === "dark" ? text : "system";
}
