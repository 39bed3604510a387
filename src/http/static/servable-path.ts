// Which paths name a file at all. Nothing of a request reaches the file system that does not
// pass here, and what passes names something below the root on any of them: on Windows
// "a\b", "c:", "con" and "a." are not what they seem.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNFIT = /[\\/:\x00-\x1f\x7f]|[. ]$/;
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i;

/** The one folder beginning with a dot that is there to be asked for (RFC 8615). */
const WELL_KNOWN = ".well-known";

/**
 * Whether a decoded path, its segments divided by "/", may be looked up below a root. No
 * segment is empty or begins with a dot; `wellKnown` lets `.well-known` be the first.
 */
export function isServable(path: string, wellKnown = false): boolean {
  return path
    .split("/")
    .every((segment, i) => isName(segment) || (wellKnown && i === 0 && segment === WELL_KNOWN));
}

const isName = (segment: string): boolean =>
  segment !== "" && !segment.startsWith(".") && !UNFIT.test(segment) && !DEVICE.test(segment);
