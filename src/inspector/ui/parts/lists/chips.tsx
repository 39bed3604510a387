// Filters that were set by a link and cannot be chosen in the view. Each can be removed.

import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import "./chips.css";

/** @param names of URL parameters */
export function Chips({ names }: { readonly names: readonly string[] }) {
  const { params } = useStore(place);
  return names.map((key) => {
    const value = params.get(key);
    return (
      value !== undefined && (
        <span key={key} class="chip">
          {key} <code>{value}</code>
          <button
            type="button"
            class="plain"
            aria-label={`Remove filter ${key}`}
            onClick={() => choose({ [key]: undefined })}
          >
            ×
          </button>
        </span>
      )
    );
  });
}
