import { useMemo } from "preact/hooks";

import { jsonTokens, MAX_SHOWN, prettyJson } from "../../json/json-tokens.js";
import { Copy } from "./copy.js";
import "./json.css";

export interface JsonProps {
  readonly value: unknown;
  /** Name of the value, for the copy button. */
  readonly what: string;
}

export function Json({ value, what }: JsonProps) {
  const text = useMemo(() => prettyJson(value), [value]);
  const shown = text.length > MAX_SHOWN ? text.slice(0, MAX_SHOWN) : text;
  const tokens = useMemo(() => jsonTokens(shown), [shown]);
  return (
    <div class="json">
      <Copy text={text} what={what} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by the keyboard */}
      <pre role="region" tabIndex={0} aria-label={what}>
        {tokens.map(({ kind, text }, n) =>
          kind === "plain" ? (
            text
          ) : (
            <span key={n} class={kind}>
              {text}
            </span>
          ),
        )}
      </pre>
      {shown.length < text.length && (
        <p class="dim whole">Truncated: copy to see all {text.length} characters.</p>
      )}
    </div>
  );
}
