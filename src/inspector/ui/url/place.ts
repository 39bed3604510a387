// The state of a view, in the URL's fragment. A fragment is never sent to a server, so that the
// token reaches no log.

export interface Place {
  /** ["circuits", "place-order"]. */
  readonly path: readonly string[];
  readonly params: ReadonlyMap<string, string>;
}

/** Parses "#/circuits/place-order?node=a%2Fb&window=10". Text that does not decode is kept as it is. */
export function parsePlace(hash: string): Place {
  const text = hash.replace(/^#?\/?/, "");
  const mark = text.indexOf("?");
  const path = (mark === -1 ? text : text.slice(0, mark)).split("/").filter((part) => part !== "");
  const params = new Map<string, string>();
  if (mark !== -1)
    for (const [key, value] of new URLSearchParams(text.slice(mark + 1))) params.set(key, value);
  return { path: path.map(decoded), params };
}

/** Deterministic: equal places give the same URL. */
export function printPlace({ path, params }: Place): string {
  const query = new URLSearchParams([...params].sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`;
}

/** Undefined and empty values remove the parameter. */
export function withParams(place: Place, changes: Readonly<Record<string, string | undefined>>): Place {
  const params = new Map(place.params);
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || value === "") params.delete(key);
    else params.set(key, value);
  }
  return { path: place.path, params };
}

/** A place by its parts: `placeOf(["runs", id], { tab: "bus" })`. */
export function placeOf(
  path: readonly string[],
  params: Readonly<Record<string, string | undefined>> = {},
): Place {
  return withParams({ path, params: new Map() }, params);
}

/** Splits the fragment of the printed link, "#token=...", into the token and the rest. */
export function takeToken(hash: string): { readonly token: string | undefined; readonly rest: string } {
  const found = /[#?&]token=([^&]*)/.exec(hash);
  if (found === null) return { token: undefined, rest: hash };
  const rest = hash.replace(/([#?&])token=[^&]*&?/, "$1").replace(/[?&]$/, "");
  return { token: decoded(found[1] as string), rest: rest === "#" ? "" : rest };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
