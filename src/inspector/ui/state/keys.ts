// Keyboard shortcuts: `/` searches, `g` and a letter opens a view, `j` `k` `Enter` move between
// rows, `Esc` closes, `?` lists the keys. They are off while a text field has the focus.

import { placeOf } from "../url/place.js";
import { go } from "./router.js";
import { createStore } from "./store.js";

export interface ViewName {
  readonly path: string;
  readonly name: string;
  readonly key: string;
}

export const VIEWS: readonly ViewName[] = [
  { path: "overview", name: "Overview", key: "o" },
  { path: "runs", name: "Runs", key: "r" },
  { path: "live", name: "Live", key: "l" },
  { path: "breakpoints", name: "Breakpoints", key: "b" },
  { path: "dead", name: "Dead letters", key: "d" },
  { path: "send", name: "Send", key: "s" },
  { path: "alerts", name: "Alerts", key: "a" },
  { path: "audit", name: "Audit", key: "u" },
  { path: "system", name: "System", key: "y" },
];

/** The views, and the parts of views that have a key. */
export const PLACES: readonly ViewName[] = [...VIEWS, { path: "kept", name: "Unfinished runs", key: "k" }];

/** Moves between the rows of a table. The table mounted last handles the keys. */
export interface RowWalker {
  move(by: number): void;
  open(): void;
}

const walkers: RowWalker[] = [];
const closers: (() => void)[] = [];
export const isHelpOpen = createStore(false);
/** Incremented to focus the search. */
export const searchCalls = createStore(0);

export function walkRows(walker: RowWalker): () => void {
  walkers.push(walker);
  return () => walkers.splice(walkers.indexOf(walker), 1);
}

/** Esc calls the function registered last. */
export function closeByKey(close: () => void): () => void {
  closers.push(close);
  return () => closers.splice(closers.indexOf(close), 1);
}

let awaitsView = 0;

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") {
      closeLast(event);
      return;
    }
    if (isTyping(event.target)) return;
    if (awaitsView > 0 && Date.now() - awaitsView < 1500) {
      awaitsView = 0;
      const view = PLACES.find(({ key }) => key === event.key);
      if (view !== undefined) {
        event.preventDefault();
        go(placeOf([view.path]));
        return;
      }
    }
    press(event);
  });
}

function press(event: KeyboardEvent): void {
  const walker = walkers[walkers.length - 1];
  switch (event.key) {
    case "/":
      event.preventDefault();
      searchCalls.set((n) => n + 1);
      return;
    case "g":
      awaitsView = Date.now();
      return;
    case "?":
      isHelpOpen.set(true);
      return;
    case "j":
      walker?.move(1);
      return;
    case "k":
      walker?.move(-1);
      return;
    case "Enter":
      // On a focused button or link, Enter activates that element.
      if (event.target === document.body || isView(event.target) || isRow(event.target)) walker?.open();
      return;
    default:
  }
}

function closeLast(event: KeyboardEvent): void {
  const close = closers[closers.length - 1];
  if (close !== undefined) {
    event.preventDefault();
    close();
  } else if (event.target instanceof HTMLElement) event.target.blur();
}

/** True if no element within the view has the focus. */
const isView = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.id === "view";

const isRow = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.dataset["row"] !== undefined;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
