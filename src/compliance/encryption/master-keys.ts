// Master keys: 32 bytes with an id, of which one is current. A provider gives all of them, the old
// ones too, for as long as a row needs them.

import { readFileSync, statSync } from "node:fs";

import type { MaybePromise } from "#core/bus/outcome-types.js";
import { FrameworkError } from "#core/errors.js";

export interface MasterKeys {
  /** Id of the key under which texts are encrypted from now on. */
  readonly current: string;
  /** By their ids: 1 to 64 letters, digits, ".", "_" and "-". */
  readonly keys: Readonly<Record<string, Uint8Array>>;
}

/** Asked at `open()`, and again for a text whose key it did not give. A key service is asked here. */
export type MasterKeyProvider = () => MaybePromise<MasterKeys>;

const KEY_BYTES = 32;
const KEY_ID = /^[\w.-]{1,64}$/;
const LINE = /^([\w.-]{1,64})[ \t]+([A-Za-z0-9+/_-]{43}=?)$/;

/**
 * Keys in a file that its owner alone can read, a line each: id, space, 32 bytes in base64. The first
 * one is current. Empty lines and lines with "#" at their beginning are skipped.
 */
export const keysInFile =
  (file: string): MasterKeyProvider =>
  () => {
    const { text, mode } = read(file);
    if ((mode & 0o077) !== 0)
      throw invalid(
        file,
        `other users may read it (mode ${(mode & 0o777).toString(8)}): run "chmod 600 ${file}"`,
      );
    return keysInText(text, file);
  };

/** Keys in an environment variable, written as in a file. */
export const keysInEnvironment =
  (variable: string): MasterKeyProvider =>
  () => {
    const text = process.env[variable];
    if (text === undefined || text === "") throw invalid(variable, "the environment variable is not set");
    return keysInText(text, variable);
  };

/** Of a file, or of the variable in `env:VARIABLE`. */
export const keysAt = (place: string): MasterKeyProvider =>
  place.startsWith("env:") ? keysInEnvironment(place.slice("env:".length)) : keysInFile(place);

/** `shown` names the place in errors. Throws ENCRYPTION_KEYS_INVALID, never with a part of a key. */
function keysInText(text: string, shown: string): MasterKeys {
  const lines = text.split("\n").map((line, at) => ({ line: line.trim(), number: at + 1 }));
  const keys = new Map<string, Uint8Array>();
  for (const { line, number } of lines) {
    if (line === "" || line.startsWith("#")) continue;
    const [, id, key] = LINE.exec(line) ?? [];
    if (id === undefined || key === undefined)
      throw invalid(
        shown,
        `line ${number} is not an id, a space and 32 bytes in base64: "openssl rand -base64 32" makes a key`,
      );
    if (keys.has(id)) throw invalid(shown, `line ${number} has the id '${id}' a second time`);
    keys.set(id, Buffer.from(key, "base64"));
  }
  const [current] = keys.keys();
  if (current === undefined) throw invalid(shown, "it has no key");
  return requireMasterKeys({ current, keys: Object.fromEntries(keys) }, shown);
}

/** A copy of what a provider gave. Throws ENCRYPTION_KEYS_INVALID. */
export function requireMasterKeys(given: MasterKeys, shown: string): MasterKeys {
  const { current, keys } = given ?? {};
  if (typeof keys !== "object" || keys === null || typeof current !== "string")
    throw invalid(shown, "it gave no { current, keys }");
  for (const [id, key] of Object.entries(keys)) {
    if (!KEY_ID.test(id))
      throw invalid(shown, "an id of a key has 1 to 64 letters, digits, '.', '_' and '-'");
    if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES)
      throw invalid(shown, `key '${id}' has not ${KEY_BYTES} bytes`);
  }
  if (!Object.hasOwn(keys, current)) throw invalid(shown, "the current key is not among the keys");
  const copied = Object.entries(keys).map(([id, key]) => [id, Uint8Array.from(key)] as const);
  return { current, keys: Object.fromEntries(copied) };
}

export const invalid = (shown: string, why: string, cause?: unknown): FrameworkError =>
  new FrameworkError("ENCRYPTION_KEYS_INVALID", `${shown}: ${why}`, { cause });

function read(file: string): { readonly text: string; readonly mode: number } {
  try {
    return { text: readFileSync(file, "utf8"), mode: statSync(file).mode };
  } catch (cause) {
    throw invalid(file, "it cannot be read", cause);
  }
}
