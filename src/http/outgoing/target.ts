// Makes the URL of a call, which is below the client's base for any path.

import { configInvalid } from "../refusal/option-checks.js";

type QueryValue = string | number | boolean | null | undefined;

/** A key with an array is repeated. null and undefined are omitted. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** Parses a base URL. Throws CONFIG_INVALID. */
export function parseBase(base: string | URL): URL {
  const url = URL.canParse(String(base)) ? new URL(base) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isWeb || url.username + url.password + url.search + url.hash !== "") {
    throw configInvalid(
      // Without the text, which may hold a password.
      'HttpClient was given a base that is none: use "https://host:port/path", without user, query and fragment',
    );
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

// Visible ASCII; a URL parser drops tabs and line ends, and reads "\" as "/".
const PATH = /^[!"$-[\]-~]*$/;
/** A segment that climbs for some servers: with path parameters, or truncated at a NUL, "?" or "#". */
const CLIMBS = /(?:^|[/\\])\.{1,2}(?:[;?#\0][^/\\]*)?(?:[/\\]|$)/;
/** Percent-encoded characters, also in the notation of IIS and as overlong UTF-8. */
const ENCODED = /%u00([\da-f]{2})|%c0%([ab][\da-f])|%c1%(9c)|%([\da-f]{2})/gi;
const OVERLONG: Readonly<Record<string, string>> = { ae: ".", af: "/", "9c": "\\" };

/** True if a path climbs, however often the service decodes it. */
function climbs(path: string): boolean {
  let text = path.split("?", 1)[0] as string;
  for (;;) {
    if (CLIMBS.test(text)) return true;
    const decoded = text.replace(ENCODED, (_, wide, overlong = "", backslash = "", hex = "0") =>
      wide === undefined
        ? (OVERLONG[(overlong + backslash).toLowerCase()] ?? String.fromCharCode(Number.parseInt(hex, 16)))
        : String.fromCharCode(Number.parseInt(wide, 16)),
    );
    if (decoded === text) return false;
    text = decoded;
  }
}

/** Throws TypeError for a path that could leave the base. */
export function targetOf(base: URL, path: string, query: Query = {}): URL {
  if (!PATH.test(path) || climbs(path)) {
    throw new TypeError(
      `${JSON.stringify(path)} is no path below ${base.href}: put what comes from outside through encodeURIComponent, and refuse "." and ".."`,
    );
  }
  const url = new URL(base.href + path.replace(/^\//, ""));
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat() as readonly QueryValue[])
      if (each !== undefined && each !== null) url.searchParams.append(name, String(each));
  }
  return url;
}
