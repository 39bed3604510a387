// Finds and loads the native server. Its repackaged binaries are optional dependencies, one per
// Node.js version. If the application installed the upstream package, that one is preferred.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { FrameworkError } from "#core/errors.js";
import type { NativeServer } from "./port.js";
import { type FailedBinary, unavailable } from "./unavailable.js";

const CANDIDATES = [
  "uWebSockets.js",
  "uWebSockets.js-node22",
  "uWebSockets.js-node24",
  "uWebSockets.js-node26",
] as const;

const DIGESTS: ReadonlyMap<string, string> = new Map([
  ["@uwsjs/linux-x64-20@20.51.4", "4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89"],
  ["@uwsjs/linux-x64-22@20.51.4", "f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c"],
  ["@uwsjs/linux-x64-24@20.69.0", "177efdc682425d754474bd30f9586c487fa6694f790f3406a23885d0e61c07a0"],
  ["@uwsjs/linux-x64-26@20.69.0", "604375741bf77780b34e7e299af9274cb1f56d73732201d19e3d8d8448176795"],
]);

const DEFAULT_HEAD_LIMIT = 16_384;

export interface NativeBinding {
  readonly server: NativeServer;
  readonly source: string;
  readonly file: string;
}

type Load = (name: string) => unknown;

let loaded: { readonly binding: NativeBinding; readonly headLimit: number } | undefined;

/**
 * Loads the native server at the first call. Throws NATIVE_UNAVAILABLE with the cause and what to
 * do, and CONFIG_CONFLICT if it was loaded with another `headLimit`.
 */
export function nativeBinding(headLimit?: number): NativeBinding {
  if (loaded === undefined) {
    const limit = headLimit ?? DEFAULT_HEAD_LIMIT;
    loaded = { binding: load(createRequire(import.meta.url), limit), headLimit: limit };
  }
  if (headLimit !== undefined && headLimit !== loaded.headLimit) {
    throw new FrameworkError(
      "CONFIG_CONFLICT",
      `The head limit is to be ${headLimit} bytes, and the first server of this process has set it to ${loaded.headLimit}: it is one for the process`,
    );
  }
  return loaded.binding;
}

/** @internal */
export function load(
  require: Load & { resolve(name: string): string },
  headLimit = DEFAULT_HEAD_LIMIT,
): NativeBinding {
  // The engine reads this variable when it is loaded, so no file may import the binding statically.
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = String(headLimit);
  const failed: FailedBinary[] = [];
  for (const name of CANDIDATES) {
    try {
      const server = require(name) as NativeServer;
      // Without this the engine adds a header with its name to each response.
      server._cfg("silent");
      const file = require.resolve(name);
      return { server, source: packageOf(file), file };
    } catch (cause) {
      failed.push({ cause, source: sourceOf(() => packageOf(require.resolve(name))) });
    }
  }
  const cause = new AggregateError(failed.map((one) => one.cause));
  throw new FrameworkError("NATIVE_UNAVAILABLE", unavailable(failed, [...DIGESTS.keys()]), { cause });
}

/** Compares the digest of the binary; undefined if no digest of its package is known. */
export function isTestedBinary({ source, file }: NativeBinding): boolean | undefined {
  const expected = DIGESTS.get(source);
  if (expected === undefined) return source.startsWith("@uwsjs/") ? false : undefined;
  const bytes = readFileSync(join(dirname(file), "uws.node"));
  return createHash("sha256").update(bytes).digest("hex") === expected;
}

function sourceOf(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

function packageOf(file: string): string {
  const manifest = JSON.parse(readFileSync(join(dirname(file), "package.json"), "utf8")) as Record<
    string,
    string
  >;
  return `${manifest["name"]}@${manifest["version"]}`;
}
