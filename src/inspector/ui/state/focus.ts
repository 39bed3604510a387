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
 * whatever took it away and whenever. Who knows a better place puts it there at once, and is left alone.
 * Answers what ends that.
 */
export function keepFocus(view: HTMLElement): () => void {
  let last: Node | undefined;
  const came = ({ target }: FocusEvent) => {
    last = target instanceof Node ? target : undefined;
  };
  // Some browsers tell of what is taken away too: that is not connected any more afterwards.
  const left = () => {
    const from = last;
    queueMicrotask(() => {
      if (last === from && from?.isConnected === true) last = undefined;
    });
  };
  const observer = new MutationObserver(() => {
    if (last === undefined || last.isConnected) return;
    last = undefined;
    if (isFocusLost()) focusView();
  });
  view.addEventListener("focusin", came);
  view.addEventListener("focusout", left);
  observer.observe(view, { childList: true, subtree: true });
  return () => {
    view.removeEventListener("focusin", came);
    view.removeEventListener("focusout", left);
    observer.disconnect();
  };
}
