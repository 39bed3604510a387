import type { Surroundings } from "./command.js";

/** A progress line on stderr. Without a terminal it writes nothing. */
export interface Progress {
  /** Shows a text, at most ten times a second and not in the first second. */
  show(text: string): void;
  /** Removes the line. Call it before the results are printed. */
  end(): void;
}

export function progressLine({ err, isTerminal }: Surroundings, now: () => number = Date.now): Progress {
  if (!isTerminal) return { show: () => {}, end: () => {} };
  let next = now() + FIRST_MS;
  let isShown = false;
  return {
    show(text) {
      const at = now();
      if (at < next) return;
      next = at + EACH_MS;
      isShown = true;
      err(`${CLEAR}${text}`);
    },
    end() {
      if (isShown) err(CLEAR);
      isShown = false;
    },
  };
}

const FIRST_MS = 1000;
const EACH_MS = 100;
/** Moves to the first column and erases the line. */
const CLEAR = "\r\x1b[K";
