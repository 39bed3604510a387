// What was pressed may vanish with what it did: a question that is answered, a row that is gone.
// The browser then forgets where the reader was; this puts the focus where it is next expected.

/** Nothing has it: what had it is gone, or was never there. */
export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

export function focusView(): void {
  document.getElementById("view")?.focus({ preventScroll: true });
}

/**
 * For what nobody else looks after: what had the focus in the view and is taken away leaves it there,
 * whatever took it away and whenever; what is only moved, as a row that is ordered anew, has it again.
 * Who knows a better place puts it there at once, and is left alone.
 * Answers what ends that.
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
  // Some browsers tell of what is taken away or moved too: that is looked at first.
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
