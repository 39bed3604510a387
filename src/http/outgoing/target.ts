// The URL of a call: below the client's base for any path.

import { configInvalid } from "../refusal/invalid.js";

type QueryValue = string | number | boolean | null | undefined;

/** A key with an array is repeated; null and undefined are left out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** Throws CONFIG_INVALID. */
export function parseBase(base: string | URL): URL {
  const url = URL.canParse(String(base)) ? new URL(base) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isWeb || url.username + url.password + url.search + url.hash !== "") {
    throw configInvalid(
      // Without the text: it may hold a password.
      'HttpClient was given a base that is none: use "https://host:port/path", without user, query and fragment',
    );
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

// Visible ASCII; a URL parser drops tabs and line ends, and reads "\" as "/".
const PATH = /^[!"$-[\]-~]*$/;
/** A segment that leads up, as some servers take it: with parameters, or cut at what ends a text. */
const CLIMBS = /(?:^|[/\\])\.{1,2}(?:[;?#\0][^/\\]*)?(?:[/\\]|$)/;
/** Percent-encoded, as IIS wrote it, and in the overlong UTF-8 that no decoder should take. */
const ENCODED = /%u00([\da-f]{2})|%c0%([ab][\da-f])|%c1%(9c)|%([\da-f]{2})/gi;
const OVERLONG: Readonly<Record<string, string>> = { ae: ".", af: "/", "9c": "\\" };

/** Whether a path leads up, however often who is asked decodes it. */
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

/** Throws TypeError for a path that could lead elsewhere. */
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
