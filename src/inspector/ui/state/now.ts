// The current time for relative times on screen: all change together, once a second.

import { createStore } from "./store.js";

export const now = createStore(Date.now());

setInterval(() => {
  // A hidden page needs no update.
  if (!document.hidden) now.set(Date.now());
}, 1000);
document.addEventListener("visibilitychange", () => now.set(Date.now()));
