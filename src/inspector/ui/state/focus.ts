// An action can remove the element that was pressed: an answered question, a removed row. The
// browser then drops the focus; these functions move it to the expected place.

/** True if no element has the focus. */
export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

export function focusView(): void {
  document.getElementById("view")?.focus({ preventScroll: true });
}

/**
 * Keeps the focus in the view. If the focused element is removed, the view gets the focus; if it is
 * only moved, as in a reordered list, it gets the focus back. A component with a better place sets
 * the focus at once, and is left alone.
 * Returns a function that ends it.
 */
export function keepFocus(view: HTMLElement): () => void {
  let last: HTMLElement | undefined;
  const came = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement ? target : undefined;
  };
  const look = (records: readonly MutationRecord[]) => {
    const had = last;
    if (had === undefined) return;
    if (!had.isConnected) last = undefined;
    if (!isFocusLost()) return;
    if (!had.isConnected) focusView();
    else if (records.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(had))))
      had.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(look);
  // Some browsers fire blur for removed or moved elements too: those are checked first.
  const left = () => {
    const from = last;
    queueMicrotask(() => {
      look(observer.takeRecords());
      if (last === from && document.activeElement !== from && from?.isConnected === true) last = undefined;
    });
  };
  view.addEventListener("focusin", came);
  view.addEventListener("focusout", left);
  observer.observe(view, { childList: true, subtree: true });
  return () => {
    view.removeEventListener("focusin", came);
    view.removeEventListener("focusout", left);
    observer.disconnect();
  };
}
