// A panel for the selected item, beside the view. Esc closes it.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { focusView, isFocusLost } from "../state/focus.js";
import { closeByKey } from "../state/keys.js";
import "./drawer.css";

export interface DrawerProps {
  readonly title: ComponentChildren;
  readonly label: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

export function Drawer({ title, label, onClose, children }: DrawerProps) {
  const box = useRef<HTMLElement>(null);
  // Returns the focus to the element that opened the drawer.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    // The view may have become shorter.
    const frame = requestAnimationFrame(() =>
      document.querySelector('#view tr[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    );
    const drawer = box.current;
    return () => {
      cancelAnimationFrame(frame);
      if (drawer?.contains(document.activeElement) !== true && !isFocusLost()) return;
      const canGoBack = opener !== document.body && opener?.isConnected === true;
      if (canGoBack && (opener instanceof HTMLElement || opener instanceof SVGElement)) opener.focus();
      else focusView();
    };
  }, []);
  // `onClose` is constant while the drawer is open.
  useEffect(() => closeByKey(onClose), []);
  return (
    <aside ref={box} class="drawer" aria-label={label}>
      <header>
        <h2 class="cut">{title}</h2>
        <button type="button" class="plain" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          ×
        </button>
      </header>
      <div class="inside">{children}</div>
    </aside>
  );
}
