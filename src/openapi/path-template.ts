// Paths as OpenAPI writes them. Of paths that differ in the names of their parameters alone OpenAPI takes
// one: the first one's names count.

import { literalText } from "#http/routing/pattern.js";

export interface PathTemplate {
  readonly text: string;
  readonly names: readonly string[];
}

const PARAMETER = /^[:*](.+)$/s;

/** What RFC 3986 allows in a segment beside letters and digits stays as it is. */
const encoded = (segment: string): string =>
  encodeURIComponent(literalText(segment)).replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);

export class PathTemplates {
  readonly #known = new Map<string, PathTemplate>();
  readonly #taken = new Set<string>();

  of(path: string): PathTemplate {
    const segments = path.split("/");
    const shape = segments.map((segment) => (PARAMETER.test(segment) ? "{}" : segment)).join("/");
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    const names = segments.flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []);
    const text = segments
      .map((segment) => {
        const name = PARAMETER.exec(segment)?.[1];
        return name === undefined ? encoded(segment) : `{${name}}`;
      })
      .join("/");
    const template = { text, names };
    this.#known.set(shape, template);
    return template;
  }

  /** False for a rest of the path where a parameter stands at the same place: OpenAPI takes one. */
  takes(method: string, { text }: PathTemplate): boolean {
    const key = `${method} ${text}`;
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }
}
