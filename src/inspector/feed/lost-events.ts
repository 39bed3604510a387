import type { FeedEvent } from "../api/events.js";
import { circuitOf, nodeOf } from "./subscription.js";

type Kind = FeedEvent["kind"];

/** Events that are not sent, of one kind. Null: of any circuit or node. */
interface LostGroup {
  readonly kind: Kind;
  readonly circuit: string | null;
  readonly node: string | null;
  readonly count: number;
}

/** What a process could not tell of. */
export interface LostEvents {
  readonly groups: readonly LostGroup[];
  /** Those of which nobody knows what they were: they had to make room before anybody read them. */
  readonly unknown: number;
}

/** What is more is told by its kind alone. */
const MAX_GROUPS = 200;

export function lostEvents(left: readonly FeedEvent[], unknown: number): LostEvents {
  const groups = new Map<string, LostGroup>();
  for (const event of left) {
    const own = { kind: event.kind, circuit: circuitOf(event), node: nodeOf(event) };
    const isKnown = groups.has(keyOf(own));
    const place = isKnown || groups.size < MAX_GROUPS ? own : { ...own, circuit: null, node: null };
    const key = keyOf(place);
    groups.set(key, { ...place, count: (groups.get(key)?.count ?? 0) + 1 });
  }
  return { groups: [...groups.values()], unknown };
}

const keyOf = ({ kind, circuit, node }: Omit<LostGroup, "count">): string =>
  JSON.stringify([kind, circuit, node]);
