// Where two values differ, and whether that says something: ids, times and rests of limits differ
// between any two runs.

export interface JsonDifference {
  /** JSON Pointer (RFC 6901), behind the name of the value. */
  readonly pointer: string;
  readonly isFolded: boolean;
  /** The two values as short texts. */
  readonly texts: readonly [string, string];
}

const MAX_DIFFERENCES = 100;
const MAX_SHOWN = 80;

/** The last word of a name: of times, of rests of limits, and of the ids of a run. */
const OF_ANY_RUN =
  /(?:^|_)(?:at|now|time|timestamp|elapsed|nonce|remaining|reset|retry_after|(?:request|run|trace|span|correlation|event)_?id|traceparent)$/;
const ID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,64}|[0-9a-hjkmnp-tv-z]{26})$/i;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** In their order, at most MAX_DIFFERENCES. `name` is that of the value, "" for none. */
export function jsonDifferences(a: unknown, b: unknown, name = ""): readonly JsonDifference[] {
  const found: JsonDifference[] = [];
  collect([a, b], name, name, found);
  return found;
}

function collect(
  pair: readonly [unknown, unknown],
  name: string,
  pointer: string,
  found: JsonDifference[],
): void {
  const [a, b] = pair;
  if (Object.is(a, b) || found.length >= MAX_DIFFERENCES) return;
  if (!isGroup(a) || !isGroup(b) || Array.isArray(a) !== Array.isArray(b)) {
    found.push({ pointer, isFolded: isOfAnyRun(name, a, b), texts: [shown(a), shown(b)] });
    return;
  }
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const inner = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    collect([own(a, key), own(b, key)], Array.isArray(a) ? name : key, inner, found);
  }
}

type Group = Readonly<Record<string, unknown>>;

const isGroup = (value: unknown): value is Group => typeof value === "object" && value !== null;

/** A captured member may have the name of an inherited one. */
const own = (group: Group, key: string): unknown => (Object.hasOwn(group, key) ? group[key] : undefined);

const isOfAnyRun = (name: string, a: unknown, b: unknown): boolean =>
  a !== undefined &&
  b !== undefined &&
  (OF_ANY_RUN.test(name.replace(/(?<=[a-z0-9])[A-Z]|-/g, (at) => `_${at.replace("-", "")}`).toLowerCase()) ||
    [ID, MOMENT].some((form) => [a, b].every((value) => typeof value === "string" && form.test(value))));

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}...`;
}
