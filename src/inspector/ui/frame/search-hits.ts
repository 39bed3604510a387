// What the server's search finds, as places of the page.

import type { Hit } from "../../api/search.js";
import { type Place, placeOf } from "../url/place.js";
import type { Target } from "./search-targets.js";

export const KINDS: Readonly<Record<Hit["kind"], string>> = {
  run: "run",
  durable_run: "durable run",
  letter: "letter",
  unmatched: "unmatched",
};

export function placeOfHit({ kind, id }: Pick<Hit, "kind" | "id">): Place {
  switch (kind) {
    case "run":
      return placeOf(["runs", id]);
    case "durable_run":
      return placeOf(["kept", id]);
    case "letter":
      return placeOf(["dead"], { letter: id });
    case "unmatched":
      return placeOf(["overview"], { show: "unmatched" });
  }
}

/** The filter of runs for a whole code or status. */
const FILTERS: ReadonlyMap<string, string> = new Map([
  ["code", "code"],
  ["status", "http_status"],
]);

/** All runs with the found code or status, then each hit, then the view of all hits. */
export function hitTargets(hits: readonly Hit[], typed: string): readonly Target[] {
  const whole = hits.find(({ kind, by, is_whole }) => kind === "run" && is_whole && FILTERS.has(by));
  const filter = whole && FILTERS.get(whole.by);
  const all: Target[] = hits.map((hit) => ({
    ...{ kind: KINDS[hit.kind], text: hit.title, under: `${hit.by} ${hit.text}`, id: hit.id },
    place: placeOfHit(hit),
  }));
  if (whole !== undefined && filter !== undefined)
    all.unshift({
      ...{ kind: "runs", text: `All with ${whole.by} ${whole.text}`, under: "" },
      place: placeOf(["runs"], { [filter]: whole.text }),
    });
  if (typed.length > 1)
    all.push({
      ...{ kind: "search", text: typed, under: "also in payloads and logs" },
      place: placeOf(["search"], { q: typed }),
    });
  return all;
}
