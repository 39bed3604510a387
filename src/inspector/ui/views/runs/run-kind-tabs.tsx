import { Segments } from "../../parts/segments.js";
import { go } from "../../state/router.js";
import { placeOf } from "../../url/place.js";

const ALL = [
  ["traced", "Traced"],
  ["unfinished", "Unfinished"],
] as const;

/** Selects traced runs or unfinished stored runs. */
export function RunKindTabs({ value }: { readonly value: (typeof ALL)[number][0] }) {
  return (
    <Segments
      label="Which runs"
      options={ALL}
      value={value}
      onChoose={(which) => go(placeOf([which === "traced" ? "runs" : "kept"]))}
    />
  );
}
