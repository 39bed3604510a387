import { go } from "../state/router.js";
import { placeOf } from "../url/place.js";
import { Segments } from "./segments.js";

/** The paths of each choice of views, with their titles. */
const ALL = {
  "Which runs": [
    ["runs", "Traced"],
    ["in-flight", "In flight"],
    ["kept", "Durable"],
    ["hosts", "Hosts"],
  ],
  "Audit log": [
    ["audit", "Events"],
    ["audit/chain", "Chain"],
  ],
} as const;

export function PathTabs({ label, value }: { readonly label: keyof typeof ALL; readonly value: string }) {
  const choose = (path: string) => go(placeOf(path.split("/")));
  return <Segments<string> label={label} options={ALL[label]} value={value} onChoose={choose} />;
}
