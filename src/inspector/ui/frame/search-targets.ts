// Ranks search results: names that begin with the text, then those with a word that does, then
// those that contain it, then those that contain its letters in order.

import type { Place } from "../url/place.js";

export interface Target {
  /** "node". */
  readonly kind: string;
  readonly text: string;
  /** The group it belongs to. */
  readonly under: string;
  readonly place: Place;
  /** Distinguishes hits of the same text. */
  readonly id?: string;
}

export function findAll(targets: readonly Target[], typed: string, limit: number): readonly Target[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return [];
  return targets
    .flatMap((target, n) => {
      const rank = rankOf(target.text.toLowerCase(), wanted);
      return rank === undefined ? [] : [{ target, rank, n }];
    })
    .sort((a, b) => a.rank - b.rank || a.target.text.length - b.target.text.length || a.n - b.n)
    .slice(0, limit)
    .map(({ target }) => target);
}

function rankOf(text: string, wanted: string): number | undefined {
  const at = text.indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return /[^\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 1 : 2;
  let from = 0;
  for (const letter of wanted) {
    const next = text.indexOf(letter, from);
    if (next === -1) return undefined;
    from = next + letter.length;
  }
  return 3;
}
