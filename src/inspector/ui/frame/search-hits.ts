// What the server's search finds, as places of the page.

import type { Hit } from "../../api/search.js";
import { type Place, placeOf } from "../url/place.js";
import type { Target } from "./search-targets.js";

/** "durable run". */
export const kindOf = ({ kind }: Pick<Hit, "kind">): string => kind.replace("_", " ");

const PLACES: Readonly<Record<Hit["kind"], (id: string) => Place>> = {
  run: (id) => placeOf(["runs", id]),
  durable_run: (id) => placeOf(["kept", id]),
  letter: (id) => placeOf(["dead"], { letter: id }),
  unmatched: () => placeOf(["overview"], { show: "unmatched" }),
};

export const placeOfHit = ({ kind, id }: Hit): Place => PLACES[kind](id);

/** All runs with the found code or status, then each hit, then the view of all hits. */
export function hitTargets(hits: readonly Hit[], typed: string): readonly Target[] {
  const of = hits.find(
    ({ kind, by, is_whole }) => kind === "run" && is_whole && /^(?:code|status)$/.test(by),
  );
  const all: Target[] = hits.map((hit) => ({
    ...{ kind: kindOf(hit), text: hit.title, under: `${hit.by} ${hit.text}`, id: hit.id },
    place: placeOfHit(hit),
  }));
  if (of !== undefined)
    all.unshift({
      ...{ kind: "runs", text: `All with ${of.by} ${of.text}`, under: "" },
      place: placeOf(["runs"], { [of.by === "code" ? "code" : "http_status"]: of.text }),
    });
  if (typed.length > 1)
    all.push({
      ...{ kind: "search", text: typed, under: "also in payloads and logs" },
      place: placeOf(["search"], { q: typed }),
    });
  return all;
}
