import type { FeedEvent } from "../api/events.js";
import { placeOf } from "./event-place.js";

type Kind = FeedEvent["kind"];

/** Lost events of one kind. Null: of any circuit or node. */
interface LostGroup {
  readonly kind: Kind;
  readonly circuit: string | null;
  readonly node: string | null;
  readonly count: number;
}

/** Events that a process did not send. */
export interface LostEvents {
  readonly groups: readonly LostGroup[];
  /** Events that were evicted before they were read: their circuits are not known. */
  readonly unknown: number;
  /** True if all unknown ones are of single runs. Undefined: from a worker of an earlier build. */
  readonly isOfRuns?: boolean | undefined;
}

/** Beyond either limit, events are counted by their kind alone. */
const MAX_GROUPS = 200;
const MAX_NAME_CHARS = 32_768;

export function lostEvents(left: readonly FeedEvent[], unknown: number, isOfRuns: boolean): LostEvents {
  const groups = new Map<string, Counted>();
  let room = MAX_NAME_CHARS;
  for (const event of left) {
    const { kind } = event;
    const { circuit, node } = placeOf(event);
    const place = { kind, circuit, node };
    const isKnown = groups.has(keyOf(place));
    if (!isKnown) room -= keyOf(place).length;
    const isNamed = isKnown || (groups.size < MAX_GROUPS && room >= 0);
    count(groups, isNamed ? place : { kind, circuit: null, node: null });
  }
  return { groups: [...groups.values()], unknown, isOfRuns };
}

type Counted = Omit<LostGroup, "count"> & { count: number };

function count(groups: Map<string, Counted>, place: Omit<LostGroup, "count">): void {
  const key = keyOf(place);
  const group = groups.get(key);
  if (group === undefined) groups.set(key, { ...place, count: 1 });
  else group.count += 1;
}

/** No name is a lone NUL. */
const keyOf = ({ kind, circuit, node }: Omit<LostGroup, "count">): string =>
  `${kind}\0${circuit ?? "\0"}\0${node ?? "\0"}`;
