// What narrows a view and cannot be chosen in it, but came by a link: it can be taken away.

import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import "./chips.css";

/** @param names of parameters in the address */
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
            aria-label={`Take the filter ${key} away`}
            onClick={() => choose({ [key]: undefined })}
          >
            ×
          </button>
        </span>
      )
    );
  });
}
