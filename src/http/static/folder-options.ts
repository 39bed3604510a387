// What a program says of a directory that is served.

import { FrameworkError } from "#core/errors.js";
import { assertHeaderValue, isToken } from "#core/header-syntax.js";
import type { GroupOptions } from "../ingress-types.js";
import { namesOf, requireFunctions, requireKnown } from "../known-options.js";
import { requireInteger } from "../required-integer.js";
import type { RouteIam } from "../route-iam.js";
import { SHARED_OPTIONS } from "../route-options.js";
import { isHashedName } from "./hashed-name.js";
import { mediaTypeOf } from "./media-type.js";
import { isServable } from "./servable-path.js";
import type { FolderRules } from "./served-folder.js";

/** What is kept in memory of a directory, in this process. */
export interface FileCacheOptions {
  /** Default 4096. */
  readonly maxFiles?: number;
  /** All of them together. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Larger files are read from the disk for each client. Default 1 MiB. */
  readonly maxFileBytes?: number;
  /** How long a file is answered without a look at the disk, in milliseconds. Default 1000. */
  readonly maxAgeMs?: number;
}

/** What a route has beside its Axon. */
export interface MountOptions extends GroupOptions {
  /** Whom the files are for. */
  readonly iam?: RouteIam;
  /** What they are, in a line: for documentation. */
  readonly summary?: string;
}

export interface ServeDirOptions extends MountOptions {
  /** The `cache-control` of each answer. Default: what `staticCacheControl` says, or else "no-cache". */
  readonly cacheControl?: string;
  /**
   * Which files are "public, max-age=31536000, immutable" ("private" where there is `iam`):
   * those whose path below the directory matches, or with `true` those with a hash in their
   * name. Default true.
   */
  readonly immutable?: boolean | RegExp;
  /** What is answered for a directory; false for nothing. Default "index.html". */
  readonly index?: string | false;
  /** Whether a directory that is asked for without its "/" is redirected to. Default true. */
  readonly redirect?: boolean;
  /** Whether `app.js.br` and `app.js.gz` are sent for `app.js` to who takes them. Default true. */
  readonly precompressed?: boolean;
  /** Whether `.well-known` is served; no other name that begins with a dot is. Default false. */
  readonly wellKnown?: boolean;
  /** Whether answers carry `x-content-type-options: nosniff`. Default true. */
  readonly nosniff?: boolean;
  /** How texts are encoded; false where their types are not to say it. Default "utf-8". */
  readonly charset?: string | false;
  /** Content types by extension, before the usual ones: `{ glb: "model/gltf-binary" }`. */
  readonly mediaTypes?: Readonly<Record<string, string>>;
  /** What is kept in memory; false for nothing. */
  readonly cache?: FileCacheOptions | false;
  /** Files that are read for clients at once; who asks for one more waits. Default 512. */
  readonly maxOpenFiles?: number;
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
}

const MOUNT = { ...SHARED_OPTIONS, iam: true, summary: true } as const;

export const MOUNT_OPTIONS = namesOf<MountOptions>(MOUNT);

const OPTIONS = namesOf<ServeDirOptions>({
  ...MOUNT,
  cacheControl: true,
  immutable: true,
  index: true,
  redirect: true,
  precompressed: true,
  wellKnown: true,
  nosniff: true,
  charset: true,
  mediaTypes: true,
  cache: true,
  maxOpenFiles: true,
  now: true,
});

const CACHE_OPTIONS = namesOf<FileCacheOptions>({
  maxFiles: true,
  maxBytes: true,
  maxFileBytes: true,
  maxAgeMs: true,
});

const FLAGS = ["redirect", "precompressed", "wellKnown", "nosniff"] as const;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** Caches that others share would hand it to who may not have it, even if it was asked for with an Authorization field (RFC 9111, section 3.5). */
const OWN_IMMUTABLE = "private, max-age=31536000, immutable";

/** Caches keep what they have, and ask whether it is still the same. */
export const REVALIDATED = "no-cache";

export interface CheckedFolder {
  readonly index: string | undefined;
  readonly redirects: boolean;
  /** The rules, where `cacheControl` is what the ingress says of all its directories. */
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
    throw invalid(`immutable of ${where} is true, false or a regular expression for the paths`);
  if (index !== false && (typeof index !== "string" || index.includes("/") || !isServable(index)))
    throw invalid(`index of ${where} is the name of a file, as "index.html", or false`);
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

/** What a route takes of the options. */
export function mountOptionsOf(options: MountOptions): MountOptions {
  const taken = MOUNT_OPTIONS.filter((name) => options[name as keyof MountOptions] !== undefined);
  return Object.fromEntries(taken.map((name) => [name, options[name as keyof MountOptions]]));
}

function isImmutable(immutable: boolean | RegExp, path: string): boolean {
  if (typeof immutable === "boolean") return immutable && isHashedName(path);
  // One that is global remembers where it was.
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
    throw invalid(`mediaTypes of ${where} are types by extensions, as { glb: "model/gltf-binary" }`);
  const types = Object.entries(given).map(([extension, type]) => {
    assertHeaderValue("content-type", type);
    if (!/^[a-z0-9_-]+$/.test(extension))
      throw invalid(
        `mediaTypes of ${where} has '${extension}': write extensions in lower case, without a dot`,
      );
    return [extension, type] as const;
  });
  return new Map(types);
}

function charsetOf(where: string, charset: string | false = "utf-8"): string | undefined {
  if (charset === false) return undefined;
  if (typeof charset === "string" && isToken(charset)) return charset;
  throw invalid(`charset of ${where} is a name, as "utf-8", or false`);
}

function requireBoolean(what: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") throw invalid(`${what} is true or false`);
}

const invalid = (problem: string): FrameworkError => new FrameworkError("CONFIG_INVALID", problem);
