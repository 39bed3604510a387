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

/** Looks at each once, and makes little of it: there are most of them where there is least time. */
export function lostEvents(left: readonly FeedEvent[], unknown: number): LostEvents {
  const groups = new Map<string, Counted>();
  for (const event of left) {
    const { kind } = event;
    const circuit = circuitOf(event);
    const node = nodeOf(event);
    const key = keyOf(kind, circuit, node);
    const group =
      groups.get(key) ??
      (groups.size < MAX_GROUPS ? begun(groups, key, { kind, circuit, node }) : ofKind(groups, kind));
    group.count += 1;
  }
  return { groups: [...groups.values()], unknown };
}

type Counted = Omit<LostGroup, "count"> & { count: number };

const ofKind = (groups: Map<string, Counted>, kind: Kind): Counted => {
  const key = keyOf(kind, null, null);
  return groups.get(key) ?? begun(groups, key, { kind, circuit: null, node: null });
};

function begun(groups: Map<string, Counted>, key: string, place: Omit<LostGroup, "count">): Counted {
  const group = { ...place, count: 0 };
  groups.set(key, group);
  return group;
}

/** No name is a lone NUL. */
const keyOf = (kind: Kind, circuit: string | null, node: string | null): string =>
  `${kind}\0${circuit ?? "\0"}\0${node ?? "\0"}`;
