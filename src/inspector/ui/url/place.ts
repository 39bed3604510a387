// Where the reader is: the whole state of a view, in the URL's fragment. A fragment is
// never sent, so neither the token nor what somebody searches for is in anybody's log.

export interface Place {
  /** ["circuits", "place-order"]. */
  readonly path: readonly string[];
  readonly params: ReadonlyMap<string, string>;
}

/** Of "#/circuits/place-order?node=a%2Fb&window=10". What does not decode stands as it is. */
export function parsePlace(hash: string): Place {
  const text = hash.replace(/^#?\/?/, "");
  const mark = text.indexOf("?");
  const path = (mark === -1 ? text : text.slice(0, mark)).split("/").filter((part) => part !== "");
  const params = new Map<string, string>();
  if (mark !== -1)
    for (const [key, value] of new URLSearchParams(text.slice(mark + 1))) params.set(key, value);
  return { path: path.map(decoded), params };
}

/** The same place has one URL, whatever the order in which it was made. */
export function printPlace({ path, params }: Place): string {
  const query = new URLSearchParams([...params].sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`;
}

/** What is undefined or empty is taken away. */
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

/** The token of the link that the server printed, "#token=...", and the fragment without it. */
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
