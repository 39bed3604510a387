// The time that relative times on screen stand on: all of them change together, once a second.

import { createStore } from "./store.js";

export const now = createStore(Date.now());

setInterval(() => {
  // What nobody sees need not be drawn.
  if (!document.hidden) now.set(Date.now());
}, 1000);
document.addEventListener("visibilitychange", () => now.set(Date.now()));
