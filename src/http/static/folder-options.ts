import { assertHeaderValue, isToken } from "#core/wire/header-syntax.js";
import type { GroupOptions, RouteDocumentation } from "../plan/ingress-types.js";
import type { RouteIam } from "../plan/route-iam.js";
import { SHARED_OPTIONS } from "../plan/route-options.js";
import {
  configInvalid,
  optionNames,
  requireFunctions,
  requireInteger,
  requireKnown,
} from "../refusal/option-checks.js";
import { isHashedName, isServable, mediaTypeOf } from "./media-type.js";
import type { FolderRules } from "./served-folder.js";

/** The memory cache of a directory, in this process. */
export interface FileCacheOptions {
  /** Number of files. Default 4096. */
  readonly maxFiles?: number;
  /** Total bytes of all files. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Larger files are read from the disk for each request. Default 1 MiB. */
  readonly maxFileBytes?: number;
  /** Time before a cached file is checked on disk again, in milliseconds. Default 1000. */
  readonly maxAgeMs?: number;
}

export interface MountOptions extends GroupOptions, Pick<RouteDocumentation, "summary" | "description"> {
  readonly iam?: RouteIam;
}

export interface ServeDirOptions extends MountOptions {
  /** The `cache-control` of each response. Default: that of `staticCacheControl`, else "no-cache". */
  readonly cacheControl?: string;
  /**
   * Files that are "public, max-age=31536000, immutable" ("private" with `iam`): those whose path
   * below the directory matches, or with `true` those with a hash in their name. Default true.
   */
  readonly immutable?: boolean | RegExp;
  /** The file sent for a directory; false for none. Default "index.html". */
  readonly index?: string | false;
  /** Redirects a directory without its "/". Default true. */
  readonly redirect?: boolean;
  /** Sends `app.js.br` and `app.js.gz` for `app.js`. Default true. */
  readonly precompressed?: boolean;
  /** Serves `.well-known`; other names with a leading dot are never served. Default false. */
  readonly wellKnown?: boolean;
  /** Adds `x-content-type-options: nosniff` to responses. Default true. */
  readonly nosniff?: boolean;
  /** The charset of text types; false for none. Default "utf-8". */
  readonly charset?: string | false;
  /** Content types by extension, before the built-in ones: `{ glb: "model/gltf-binary" }`. */
  readonly mediaTypes?: Readonly<Record<string, string>>;
  /** The memory cache; false for none. */
  readonly cache?: FileCacheOptions | false;
  /** Files read for clients at once; more requests wait. Default 512. */
  readonly maxOpenFiles?: number;
  /** Milliseconds since 1970. For tests. */
  readonly now?: () => number;
}

const MOUNT = "iam summary description";

export const MOUNT_OPTIONS = optionNames<MountOptions>()(SHARED_OPTIONS, MOUNT);

const OPTIONS = optionNames<ServeDirOptions>()(
  SHARED_OPTIONS,
  MOUNT,
  "cacheControl immutable index redirect precompressed wellKnown nosniff charset",
  "mediaTypes cache maxOpenFiles now",
);

const CACHE_OPTIONS = optionNames<FileCacheOptions>()("maxFiles maxBytes maxFileBytes maxAgeMs");

const FLAGS = ["redirect", "precompressed", "wellKnown", "nosniff"] as const;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** "public" would let shared caches serve the file to other users, even after an Authorization field (RFC 9111, section 3.5). */
const OWN_IMMUTABLE = "private, max-age=31536000, immutable";

export const REVALIDATED = "no-cache";

export interface CheckedFolder {
  readonly index: string | undefined;
  readonly redirects: boolean;
  /** The rules, with the ingress's `staticCacheControl`. */
  readonly rulesWith: (cacheControl: string | undefined) => FolderRules;
}

/** Throws CONFIG_INVALID and HEADER_INVALID. */
export function checkedFolder(where: string, options: ServeDirOptions): CheckedFolder {
  requireKnown(where, options, OPTIONS);
  requireFunctions(where, options, ["now"]);
  for (const flag of FLAGS) requireBoolean(`${flag} of ${where}`, options[flag]);
  const forGood = options.iam === undefined ? IMMUTABLE : OWN_IMMUTABLE;
  const { cacheControl, immutable = true, index = "index.html", redirect = true } = options;
  const { precompressed = true, wellKnown = false, nosniff = true, maxOpenFiles = 512 } = options;
  if (cacheControl !== undefined) assertHeaderValue("cache-control", cacheControl);
  if (typeof immutable !== "boolean" && !(immutable instanceof RegExp))
    throw configInvalid(`immutable of ${where} is true, false or a regular expression for the paths`);
  if (index !== false && (typeof index !== "string" || index.includes("/") || !isServable(index)))
    throw configInvalid(`index of ${where} is the name of a file, as "index.html", or false`);
  const types = typesOf(where, options.mediaTypes);
  const charset = charsetOf(where, options.charset);
  const rules = {
    ...cacheBoundsOf(where, options.cache),
    maxOpenFiles: requireInteger(`maxOpenFiles of ${where}`, maxOpenFiles, 1, 100_000),
    precompressed,
    nosniff,
    wellKnown,
    typeOf: (path: string) => mediaTypeOf(path, types, charset),
    now: options.now ?? Date.now,
  };
  return {
    index: index === false ? undefined : index,
    redirects: redirect,
    rulesWith: (general) => {
      const usual = cacheControl ?? general ?? REVALIDATED;
      return { ...rules, cacheControlOf: (path) => (isImmutable(immutable, path) ? forGood : usual) };
    },
  };
}

export function mountOptionsOf(options: MountOptions): MountOptions {
  const taken = MOUNT_OPTIONS.filter((name) => options[name as keyof MountOptions] !== undefined);
  return Object.fromEntries(taken.map((name) => [name, options[name as keyof MountOptions]]));
}

function isImmutable(immutable: boolean | RegExp, path: string): boolean {
  if (typeof immutable === "boolean") return immutable && isHashedName(path);
  // A global expression has state.
  immutable.lastIndex = 0;
  return immutable.test(path);
}

function cacheBoundsOf(
  where: string,
  cache: FileCacheOptions | false = {},
): Pick<FolderRules, "maxFiles" | "maxBytes" | "maxFileBytes" | "maxAgeMs"> {
  if (cache === false) return { maxFiles: 0, maxBytes: 0, maxFileBytes: 0, maxAgeMs: 0 };
  requireKnown(`cache of ${where}`, cache, CACHE_OPTIONS);
  const { maxFiles = 4096, maxBytes = 67_108_864, maxFileBytes = 1_048_576, maxAgeMs = 1000 } = cache;
  return {
    maxFiles: requireInteger(`cache.maxFiles of ${where}`, maxFiles, 0, 1_000_000),
    maxBytes: requireInteger(`cache.maxBytes of ${where}`, maxBytes, 0, 17_179_869_184),
    maxFileBytes: requireInteger(`cache.maxFileBytes of ${where}`, maxFileBytes, 0, 67_108_864),
    maxAgeMs: requireInteger(`cache.maxAgeMs of ${where}`, maxAgeMs, 0, 3_600_000),
  };
}

function typesOf(where: string, given: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> {
  if (typeof given !== "object" || given === null)
    throw configInvalid(`mediaTypes of ${where} are types by extensions, as { glb: "model/gltf-binary" }`);
  const types = Object.entries(given).map(([extension, type]) => {
    assertHeaderValue("content-type", type);
    if (!/^[a-z0-9_-]+$/.test(extension))
      throw configInvalid(
        `mediaTypes of ${where} has '${extension}': write extensions in lower case, without a dot`,
      );
    return [extension, type] as const;
  });
  return new Map(types);
}

function charsetOf(where: string, charset: string | false = "utf-8"): string | undefined {
  if (charset === false) return undefined;
  if (typeof charset === "string" && isToken(charset)) return charset;
  throw configInvalid(`charset of ${where} is a name, as "utf-8", or false`);
}

function requireBoolean(what: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") throw configInvalid(`${what} is true or false`);
}
