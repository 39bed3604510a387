// Where a call goes: always below the client's base, whatever text came from outside.

import { FrameworkError } from "#core/errors.js";

type QueryValue = string | number | boolean | null | undefined;

/** A key with an array stands there once for each value; null and undefined are left out. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** The base as a folder. Throws CONFIG_INVALID. */
export function parseBase(base: string | URL): URL {
  const url = URL.canParse(String(base)) ? new URL(base) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isWeb || url.username + url.password + url.search + url.hash !== "") {
    throw new FrameworkError(
      "CONFIG_INVALID",
      // Not the text: it may hold a password.
      'HttpClient was given a base that is none: use "https://host:port/path", without user, query and fragment',
    );
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

// Visible ASCII; a URL parser drops tabs and line ends, and takes "\" for "/".
const PATH = /^[!"$-[\]-~]*$/;
const CLIMBS = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|\?|$)/i;

/** Throws TypeError for a path that could lead elsewhere. */
export function targetOf(base: URL, path: string, query: Query = {}): URL {
  if (!PATH.test(path) || CLIMBS.test(path)) {
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
