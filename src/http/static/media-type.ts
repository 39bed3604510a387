// Properties of a file's path: its media type, whether it has a hash, whether it may be served.

import { lookup } from "mrmime";

import { BYTES_TYPE } from "../exchange/answer-heads.js";

/** Types that mrmime lacks. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["7z", "application/x-7z-compressed"],
  ["cjs", "text/javascript"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["eot", "application/vnd.ms-fontobject"],
  ["flac", "audio/flac"],
  ["ico", "image/vnd.microsoft.icon"],
  ["m3u8", "application/vnd.apple.mpegurl"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["tar", "application/x-tar"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
]);

// For text/xml it would override the document's own declaration (RFC 7303, section 3.2).
const TEXT = /^text\/(?!xml$)/;

/** `own` holds types by lower-case extension, used verbatim. `charset` is added to text types. */
export function mediaTypeOf(
  path: string,
  own: ReadonlyMap<string, string>,
  charset: string | undefined,
): string {
  const extension = extensionOf(path);
  const given = own.get(extension);
  if (given !== undefined) return given;
  const known = knownType(extension);
  if (known === undefined) return BYTES_TYPE;
  return charset !== undefined && TEXT.test(known) ? `${known}; charset=${charset}` : known;
}

/** True for "/logo.png", and not for "/jane.doe". */
export const looksLikeFile = (path: string): boolean => knownType(extensionOf(path)) !== undefined;

const knownType = (extension: string): string | undefined =>
  extension === "" ? undefined : (OTHERS.get(extension) ?? lookup(extension));

/** The extension in lower case; "" for none. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

const EXTENSIONS = /(?:\.[A-Za-z0-9]{1,5}){1,2}$/;

// Hashes of webpack and Parcel.
const HEX = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{8,64}$/;
// Hashes of esbuild.
const BASE32 = /^(?=.*[2-7])(?=.*[A-Z])[A-Z2-7]{8}$/;
// Hashes of Vite and Rollup. One in four has no digit and is not detected.
const BASE64URL = /^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9_-]{8}$/;

/** Pages, whose path does not change with their content. */
const PAGE = /\.html?$/i;

/**
 * True if a name ends in a hash of the content, before its extensions: `app.3f2a9c4e.js`,
 * `index-BpXbB1Lq.css`, `3f2a9c4e1b2d3c4f.png`. It misses some hashes rather than match
 * `report-20240115.pdf` or `jquery-validate.js`, because immutable files are cached for a year.
 */
export function isHashedName(path: string): boolean {
  if (PAGE.test(path)) return false;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const stem = name.replace(EXTENSIONS, "");
  if (stem === name) return false;
  const behind = Math.max(stem.lastIndexOf("-"), stem.lastIndexOf("."));
  if (behind < 0) return stem.length >= 16 && HEX.test(stem);
  // A hash in base64url may contain a "-".
  const isSet = /[-.]/.test(stem.charAt(stem.length - 9));
  const hash = stem.slice(behind + 1);
  return HEX.test(hash) || BASE32.test(hash) || (isSet && BASE64URL.test(stem.slice(-8)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
const UNFIT = /[\\/:\x00-\x1f\x7f]|[. ]$/;
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i;

/** The well-known directory (RFC 8615). */
const WELL_KNOWN = ".well-known";

/**
 * True if a decoded path may be looked up below a root. Every request path is checked here. No
 * segment may be empty, start with a dot, or have another meaning on Windows ("a\b", "c:", "con",
 * "a."). `wellKnown` allows `.well-known` as the first segment.
 */
export function isServable(path: string, wellKnown = false): boolean {
  return path
    .split("/")
    .every((segment, i) => isName(segment) || (wellKnown && i === 0 && segment === WELL_KNOWN));
}

const isName = (segment: string): boolean =>
  // hole: ".env" and ".git" would be served
  segment !== "" && !segment.startsWith(".") && !UNFIT.test(segment) && !DEVICE.test(segment);
