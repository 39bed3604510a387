import { Segments } from "../../parts/segments.js";
import { go } from "../../state/router.js";
import { placeOf } from "../../url/place.js";

const ALL = [
  ["events", "Events"],
  ["chain", "Chain"],
] as const;

/** Selects the events of the log or the state of its chain. */
export function AuditTabs({ value }: { readonly value: (typeof ALL)[number][0] }) {
  return (
    <Segments
      label="Audit log"
      options={ALL}
      value={value}
      onChoose={(which) => go(placeOf(which === "events" ? ["audit"] : ["audit", "chain"]))}
    />
  );
}
