import { useEffect, useRef } from "preact/hooks";

import { closeByKey, isHelpOpen, PLACES } from "../state/keys.js";
import { useStore } from "../state/store.js";
import "./help.css";

const KEYS: readonly (readonly [string, string])[] = [
  ["/", "Search or jump"],
  ["j  k", "Next row, previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Close the drawer or dialog"],
  ["?", "These keys"],
];

export function Help() {
  const isOpen = useStore(isHelpOpen);
  const dialog = useRef<HTMLDialogElement>(null);
  // The dialog element itself restores the focus.
  const close = () => dialog.current?.close();
  useEffect(() => {
    if (!isOpen) return;
    dialog.current?.showModal();
    return closeByKey(close);
  }, [isOpen]);
  if (!isOpen) return null;
  const keys = [...KEYS, ...PLACES.map(({ key, name }) => [`g  ${key}`, name] as const)];
  return (
    <dialog class="help" ref={dialog} aria-label="Keys" onClose={() => isHelpOpen.set(false)}>
      <h2>Keys</h2>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
