// Cookies of one client for one host, by name and path (RFC 6265, section 5).

interface Stored {
  readonly name: string;
  readonly path: string;
  /** The pair `name=value`. */
  readonly pair: string;
}

export class CookieJar {
  #stored: readonly Stored[] = [];

  /** Stores the cookies of a response to `target`, including Secure ones. */
  keep(target: string, setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
      const equals = pair.indexOf("=");
      if (equals < 1) continue;
      const name = pair.slice(0, equals);
      const path = pathOf(attributes) ?? folderOf(target);
      const others = this.#stored.filter((cookie) => cookie.name !== name || cookie.path !== path);
      this.#stored = isTakenBack(attributes) ? others : [...others, { name, path, pair }];
    }
  }

  /** Cookies for `target`, the longest paths first. */
  pairsFor(target: string): readonly string[] {
    const path = target.split("?", 1)[0] as string;
    return this.#stored
      .filter((cookie) => isBelow(path, cookie.path))
      .toSorted((a, b) => b.path.length - a.path.length)
      .map(({ pair }) => pair);
  }
}

function attributeOf(attributes: readonly string[], wanted: string): string | undefined {
  const found = attributes.findLast((attribute) => attribute.toLowerCase().startsWith(`${wanted}=`));
  return found?.slice(wanted.length + 1).trim();
}

function pathOf(attributes: readonly string[]): string | undefined {
  const path = attributeOf(attributes, "path");
  return path?.startsWith("/") ? path : undefined;
}

function folderOf(target: string): string {
  const path = target.split("?", 1)[0] as string;
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** True for a cookie that deletes itself. Max-Age precedes Expires. */
function isTakenBack(attributes: readonly string[]): boolean {
  const age = attributeOf(attributes, "max-age");
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  return Date.parse(attributeOf(attributes, "expires") ?? "") <= Date.now();
}
