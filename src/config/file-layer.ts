import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { didYouMean, nearest } from "#core/nearest.js";
import { type Given, knownPaths, wrongWith } from "./given.js";
import { keyByPath, sections } from "./keys.js";
import { inFile, LISTED, redactedPath, shownName } from "./mistake.js";
import type { Origin } from "./origin.js";
import { tomlParser } from "./toml-parser.js";
import { type Place, type Places, placeKey, tomlPlaces } from "./toml-places.js";

export const FILE_NAME = "framework.toml";

/** Profiles that need no table in the file: core's mode defines them. */
export const BUILT_IN_PROFILES: readonly string[] = ["dev", "test", "prod", "production"];

/** A framework.toml that was read. */
export interface ConfigFile {
  /** Name in messages: relative to the working directory. */
  readonly shown: string;
  readonly places: Places;
  /** It and all tables in it have no prototype. */
  readonly root: Table;
  /** The names of [profile.<name>]. */
  readonly profiles: readonly string[];
}

type Table = Readonly<Record<string, unknown>>;

/** Reads `file`, or the nearest framework.toml upwards from `cwd`. Undefined if there is none, or it is unreadable. */
export function readConfigFile(cwd: string, file: string | undefined, given: Given): ConfigFile | undefined {
  const path = file === undefined ? undefined : resolve(cwd, file);
  const found = path === undefined ? search(cwd, given) : read(path, cwd, given, true);
  if (found === undefined) return undefined;
  const { shown, text } = found;
  const { parse, TomlError } = tomlParser();
  try {
    const root: Table = parse(text);
    const profiles = isTable(root["profile"]) ? Object.keys(root["profile"]) : [];
    return { shown, root, places: tomlPlaces(text), profiles };
  } catch (error) {
    // The cause is omitted: the parser's error quotes lines of the file, which may contain a secret.
    if (!(error instanceof TomlError)) throw error;
    const [first] = error.message.replace("Invalid TOML document: ", "").split("\n");
    given.mistakes.push(inFile(shown, error, "", `this is no TOML: ${first}`, "mend the line"));
    return undefined;
  }
}

interface Found {
  readonly shown: string;
  readonly text: string;
}

function search(cwd: string, given: Given): Found | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const mistakes = given.mistakes.length;
    const found = read(join(folder, FILE_NAME), cwd, given, false);
    const over = folder === dirname(folder);
    if (found !== undefined || over || given.mistakes.length > mistakes) return found;
  }
}

function read(path: string, cwd: string, given: Given, named: boolean): Found | undefined {
  const shown = relative(resolve(cwd), path);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    return { shown, text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const absent = code === "ENOENT" || code === "ENOTDIR";
    if (absent && !named) return undefined;
    const [problem, remedy] = absent
      ? ["there is no such file", "name one that is there, or none"]
      : code === "ERR_ENCODING_INVALID_ENCODED_DATA"
        ? ["this is not UTF-8", "save it as UTF-8"]
        : [`cannot be read (${code})`, "it must be a file that this process may read"];
    given.mistakes.push(inFile(shown, undefined, "", problem, remedy));
    return undefined;
  }
}

/** Applies the file's own settings, then those of its profile. Every profile is checked. */
export function applyFile(file: ConfigFile, profile: string | undefined, given: Given): void {
  applyTable(file, [], file.root, (place) => ({ kind: "file", file: file.shown, ...place }), given);
  const profiles = file.root["profile"];
  if (profiles === undefined) return;
  if (!isTable(profiles)) {
    refuse(file, ["profile"], "is no table", "it must be tables such as [profile.dev]", given);
    return;
  }
  for (const [name, table] of Object.entries(profiles)) {
    const path = ["profile", name];
    if (!isTable(table)) {
      refuse(file, path, "is no table", `it must be a table, [${redactedPath(path)}]`, given);
    } else if (name === profile) {
      const origin = (place: Place): Origin => ({
        kind: "profile",
        profile: name,
        file: file.shown,
        ...place,
      });
      applyTable(file, path, table, origin, given);
    } else {
      applyTable(file, path, table, undefined, given);
    }
  }
}

/** Without an origin the table is only checked. */
function applyTable(
  file: ConfigFile,
  prefix: readonly string[],
  table: Table,
  origin: ((place: Place) => Origin) | undefined,
  given: Given,
): void {
  for (const [section, inner] of Object.entries(table)) {
    const path = [...prefix, section];
    if (section === "profile" && prefix.length === 0) continue;
    if (!Object.hasOwn(sections, section)) refuseUnknown(file, prefix, [section], given);
    else if (!isTable(inner))
      refuse(file, path, "is no table", `it must be a table, [${redactedPath(path)}]`, given);
    else {
      for (const [name, value] of Object.entries(inner)) {
        const key = keyByPath.get(`${section}.${name}`);
        if (key === undefined) {
          refuseUnknown(file, prefix, [section, name], given);
          continue;
        }
        if (value === "" && key.mayBeEmpty) continue;
        const wrong = wrongWith(key, value);
        if (wrong !== undefined) {
          refuse(file, [...path, name], wrong.problem, wrong.remedy, given);
          if (origin !== undefined) given.setWrong(key);
        } else if (origin !== undefined) {
          given.set(key, value, origin(placeOf(file, [...path, name])));
        }
      }
    }
  }
}

function refuseUnknown(
  file: ConfigFile,
  prefix: readonly string[],
  path: readonly string[],
  given: Given,
): void {
  const names = nearest(path.join("."), path[path.length - 1] as string, knownPaths);
  const full = names.map((name) => [...prefix.map(shownName), name].join("."));
  refuse(file, [...prefix, ...path], "there is no such key", didYouMean(full) || LISTED, given);
}

function refuse(
  file: ConfigFile,
  path: readonly string[],
  problem: string,
  remedy: string,
  given: Given,
): void {
  given.mistakes.push(inFile(file.shown, placeOf(file, path), redactedPath(path), problem, remedy));
}

const placeOf = (file: ConfigFile, path: readonly string[]): Place =>
  file.places.get(placeKey(path)) as Place;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
