// What is selected, beside the view. Esc closes it.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

import { closeByKey } from "../state/keys.js";
import "./drawer.css";

export interface DrawerProps {
  readonly title: ComponentChildren;
  readonly label: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

export function Drawer({ title, label, onClose, children }: DrawerProps) {
  // What closes it is the same for as long as it is open.
  useEffect(() => closeByKey(onClose), []);
  return (
    <aside class="drawer" aria-label={label}>
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
