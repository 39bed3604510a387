// Whether the window is too narrow for two things beside each other; style sheets have the same bound.

import { createStore } from "./store.js";

const query = matchMedia("(width <= 1000px)");

export const isNarrow = createStore(query.matches);

query.addEventListener("change", ({ matches }) => isNarrow.set(matches));
