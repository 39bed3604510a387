// What was pressed may vanish with what it did: a question that is answered, a row that is gone.
// The browser then forgets where the reader was; this puts the focus where it is next expected.

/** Nothing has it: what had it is gone, or was never there. */
export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

export function focusView(): void {
  document.getElementById("view")?.focus({ preventScroll: true });
}

/** Longer than a change of the place takes, which comes with an event of its own. */
const SETTLED_MS = 100;

/** For what nobody else looks after: a key that goes with what it has done leaves the focus in the view. */
export function keepFocus(pressed: EventTarget | null): void {
  if (!(pressed instanceof HTMLElement)) return;
  setTimeout(() => {
    if (!pressed.isConnected && isFocusLost()) focusView();
  }, SETTLED_MS);
}
