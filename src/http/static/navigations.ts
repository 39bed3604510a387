// Detects page navigations for a single-page application. Unknown paths of an API and missing scripts
// stay 404.

import { namedKey } from "#core/bus/bus-key.js";
import type { Pattern } from "../routing/pattern.js";
import { looksLikeFile } from "./media-type.js";
import type { ServedFolder } from "./served-folder.js";

export interface NavigationRules {
  readonly folder: ServedFolder;
  /** Path of the page below the folder's root. */
  readonly file: string;
  /** Prefixes as segments. Paths below them are never pages. */
  readonly apiPrefixes: readonly (readonly string[])[];
}

export class Navigations {
  readonly folder: ServedFolder;
  readonly file: string;
  readonly #apiPrefixes: NavigationRules["apiPrefixes"];

  constructor({ folder, file, apiPrefixes }: NavigationRules) {
    this.folder = folder;
    this.file = file;
    this.#apiPrefixes = apiPrefixes;
  }

  /** True for a navigation. `segments` are those of the decoded path. */
  takes(method: string, segments: readonly string[], accept: string): boolean {
    if ((method !== "GET" && method !== "HEAD") || !takesHtml(accept)) return false;
    if (looksLikeFile(segments.at(-1) ?? "")) return false;
    return !this.#apiPrefixes.some((prefix) => prefix.every((segment, i) => segments[i] === segment));
  }
}

export const NavigationsKey = namedKey<Navigations, "framework:navigations">("framework:navigations");

/** The first segments of mounted routes: paths below them belong to the API. */
export const firstSegments = (
  routes: readonly { readonly pattern: Pattern }[],
): readonly (readonly string[])[] => {
  const firsts = routes.flatMap(({ pattern: { segments } }) => {
    const [first] = segments;
    return first?.kind === "static" && first.text !== "" ? [first.text] : [];
  });
  return [...new Set(firsts)].map((first) => [first]);
};

/** True if Accept names text/html: clients that send only a wildcard are not navigating browsers. */
const takesHtml = (accept: string): boolean =>
  accept.split(",").some((element) => {
    const [type = "", ...parameters] = element.split(";");
    return type.trim().toLowerCase() === "text/html" && !parameters.some((text) => REFUSED.test(text));
  });

const REFUSED = /^[ \t]*q=0(?:\.0{0,3})?[ \t]*$/i;
