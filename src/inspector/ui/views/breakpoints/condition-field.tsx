// The input field of a condition. It completes paths from the node's schema and marks the position
// of a syntax error.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { SchemaPath } from "../../../breakpoints/schema-paths.js";
import { completionAt } from "../../condition/completion.js";
import { piecesOf, readCondition } from "../../condition/reading.js";
import "./condition-field.css";

export interface ConditionFieldProps {
  readonly value: string;
  readonly paths: readonly SchemaPath[];
  /** True to focus the field when it appears. */
  readonly isNext: boolean;
  onInput(text: string): void;
}

export function ConditionField({ value, paths, isNext, onInput }: ConditionFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const reading = useMemo(() => readCondition(value), [value]);
  const found = useMemo(
    () => (isOpen ? completionAt(value, caret, paths) : undefined),
    [isOpen, value, caret, paths],
  );

  // A link to a node leads here: the operator can type at once.
  useLayoutEffect(() => {
    if (isNext) input.current?.focus();
  }, []);

  const follow = () => setCaret(input.current?.selectionStart ?? 0);
  const choose = (path: string) => {
    if (found === undefined) return;
    onInput(`${value.slice(0, found.from)}${path}${value.slice(found.to)}`);
    const end = found.from + path.length;
    setOpen(false);
    setAt(-1);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(end, end);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (found === undefined) return;
    const chosen = found.paths[at];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const by = event.key === "ArrowDown" ? 1 : -1;
      setAt((n) => (n + by + found.paths.length) % found.paths.length);
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen !== undefined) {
      event.preventDefault();
      choose(chosen.path);
    } else if (event.key === "Escape") {
      event.preventDefault();
      setOpen(false);
    }
  };
  return (
    <div class="condition">
      <input
        ref={input}
        type="text"
        class="mono"
        role="combobox"
        aria-label="Condition"
        aria-describedby="condition-said"
        aria-invalid={reading.kind === "wrong"}
        aria-expanded={found !== undefined}
        aria-controls="condition-paths"
        aria-activedescendant={at >= 0 && found !== undefined ? `condition-path-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        placeholder="every run; or total > 100 && customer.vip == true"
        value={value}
        onInput={({ currentTarget }) => {
          onInput(currentTarget.value);
          setCaret(currentTarget.selectionStart ?? 0);
          setOpen(true);
          setAt(-1);
        }}
        onFocus={() => {
          follow();
          setOpen(true);
        }}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onClick={follow}
        onKeyUp={follow}
        onKeyDown={onKeyDown}
      />
      {found !== undefined && (
        <ul id="condition-paths" role="listbox" aria-label="Paths of the node's input">
          {found.paths.map(({ path, type }, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <li
              key={path}
              id={`condition-path-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === at}
              onClick={() => choose(path)}
            >
              <code>{path}</code>
              <span class="dim">{type}</span>
            </li>
          ))}
        </ul>
      )}
      <p id="condition-said" class="said-of" aria-live="polite">
        {reading.kind === "empty" && <span class="dim">Without a condition, every run matches.</span>}
        {reading.kind !== "empty" && (
          <code class="echo" aria-hidden="true">
            {piecesOf(value).map(({ kind, text }, n) => (
              <span key={n} class={kind}>
                {text}
              </span>
            ))}
            {reading.kind === "wrong" && reading.position >= value.length && <span class="wrong"> </span>}
          </code>
        )}
        {reading.kind === "wrong" && <span class="fault">{reading.message}</span>}
      </p>
    </div>
  );
}
