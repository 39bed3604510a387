// Page navigations for a single-page application. Unknown paths of an API and missing scripts are
// 404, as without it.

import { namedKey } from "#core/bus/bus-key.js";
import type { Pattern } from "../routing/pattern.js";
import { looksLikeFile } from "./media-type.js";
import type { ServedFolder } from "./served-folder.js";

export interface NavigationRules {
  readonly folder: ServedFolder;
  /** The page, below the folder's root. */
  readonly file: string;
  /** In segments: below them there are no pages. */
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

  /** `segments` are those of the decoded path. */
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

/** By its name: clients that accept anything are no browsers on a navigation. */
const takesHtml = (accept: string): boolean =>
  accept.split(",").some((element) => {
    const [type = "", ...parameters] = element.split(";");
    return type.trim().toLowerCase() === "text/html" && !parameters.some((text) => REFUSED.test(text));
  });

const REFUSED = /^[ \t]*q=0(?:\.0{0,3})?[ \t]*$/i;
