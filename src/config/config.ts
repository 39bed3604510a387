// A configuration, read once and frozen.

import { decideMode, type Mode, mode as processMode } from "#core/mode.js";
import { didYouMean, nearest } from "#core/nearest.js";
import { contradictions } from "./contradictions.js";
import { applyFile, BUILT_IN_PROFILES, type ConfigFile, FILE_NAME, readConfigFile } from "./file-layer.js";
import { type Effective, Given } from "./given.js";
import { isDerived, type Rest } from "./key.js";
import { keyByPath, keys, type NamedKey, type Section, sections } from "./keys.js";
import { ConfigError, cut, inVariable } from "./mistake.js";
import type { Origin } from "./origin.js";
import { applyVariables, type Env, PROFILE_VARIABLE } from "./variable-layer.js";

export interface LoadOptions {
  /** Folder in which the search for framework.toml begins. Default: the working directory. */
  readonly cwd?: string;
  /** Default: the process's variables. */
  readonly env?: Env;
  /** Read this file instead of searching. It must exist. Relative to `cwd`. */
  readonly file?: string;
  /** Whether stdout is a terminal. Default: detected. */
  readonly terminal?: boolean;
}

export class FrameworkConfig {
  readonly mode: Mode;
  /** The value of FRAMEWORK_PROFILE. */
  readonly profile: string | undefined;
  /** The framework.toml that was read, relative to the folder of the search. */
  readonly file: string | undefined;
  readonly server: Section<"server">;
  readonly tls: Section<"tls">;
  readonly logging: Section<"logging">;
  readonly telemetry: Section<"telemetry">;
  readonly inspector: Section<"inspector">;
  readonly pool: Section<"pool">;
  readonly persistence: Section<"persistence">;
  readonly audit: Section<"audit">;
  readonly redis: Section<"redis">;
  /** Variables that Kubernetes set for Services whose names begin with "framework". They are ignored. */
  readonly serviceLinks: readonly string[];
  readonly #origins: ReadonlyMap<string, Origin>;

  /** Throws a ConfigError (CONFIG_INVALID) with all mistakes. */
  protected constructor(options: LoadOptions) {
    const loaded = load(options, new.target.load);
    const section = <S extends keyof typeof sections>(name: S): Section<S> =>
      Object.freeze(
        Object.fromEntries(
          keys
            .filter((key) => key.section === name)
            .map((key) => [key.property, key.finish(loaded.effective(key.path).value)]),
        ),
      ) as Section<S>;
    this.mode = Object.freeze({ ...loaded.mode });
    this.profile = loaded.profile;
    this.file = loaded.file;
    this.serviceLinks = Object.freeze(loaded.serviceLinks);
    this.server = section("server");
    this.tls = section("tls");
    this.logging = section("logging");
    this.telemetry = section("telemetry");
    this.inspector = section("inspector");
    this.pool = section("pool");
    this.persistence = section("persistence");
    this.audit = section("audit");
    this.redis = section("redis");
    this.#origins = new Map(keys.map((key) => [key.path, loaded.effective(key.path).origin]));
    Object.freeze(this);
  }

  /** Throws a ConfigError (CONFIG_INVALID) with all mistakes. */
  static load(options: LoadOptions = {}): FrameworkConfig {
    return new FrameworkConfig(options);
  }

  /** True if a layer sets the key; `path` as in the file. */
  isSet(path: string): boolean {
    const origin = this.originOf(path);
    return origin !== undefined && origin.kind !== "default";
  }

  /** The layer that set the value of a key; `path` as in the file. */
  originOf(path: string): Origin | undefined {
    return this.#origins.get(path);
  }

  /** The value of a key; `path` as in the file. */
  valueOf(path: string): unknown {
    const key = keyByPath.get(path);
    if (key === undefined) return undefined;
    return (this[key.section] as Readonly<Record<string, unknown>>)[key.property];
  }

  /** The effective values in the structure of the file. Secrets are redacted. */
  toJSON(): Record<string, Record<string, unknown>> {
    const sectionOf = (section: string) =>
      keys.filter((key) => key.section === section).map((key) => [key.name, this.valueOf(key.path)]);
    return Object.fromEntries(
      Object.keys(sections).map((section) => [section, Object.fromEntries(sectionOf(section))]),
    );
  }
}

interface Loaded {
  readonly mode: Mode;
  readonly profile: string | undefined;
  readonly file: string | undefined;
  readonly serviceLinks: readonly string[];
  readonly effective: (path: string) => Effective;
}

/** `asked`: the function after which the stack of an error begins. */
function load(options: LoadOptions, asked: (options: LoadOptions) => unknown): Loaded {
  const env = options.env ?? process.env;
  // The mode of the process was decided at its start: the loaded profile must match it.
  const mode = options.env === undefined ? processMode : decideMode(env);
  const terminal = options.terminal ?? process.stdout.isTTY === true;
  // An empty profile counts as none, as in `decideMode`.
  const profile = env[PROFILE_VARIABLE] || undefined;

  const given = new Given();
  const file = readConfigFile(options.cwd ?? process.cwd(), options.file, given);
  const unreadable = given.mistakes.length > 0;
  if (file !== undefined) applyFile(file, profile, given);
  if (!unreadable && profile !== undefined) checkProfile(profile, file, given);
  const serviceLinks = applyVariables(env, given);

  const effective = (path: string): Effective =>
    given.get(path) ?? byDefault(keyByPath.get(path) as NamedKey, rest);
  const rest: Rest = { production: mode.production, terminal, value: (path) => effective(path).value };
  const mistakes = [...given.mistakes, ...contradictions(effective, given)];
  if (mistakes.length > 0) {
    const error = new ConfigError(mistakes);
    Error.captureStackTrace(error, asked);
    throw error;
  }
  return { mode, profile, file: file?.shown, serviceLinks, effective };
}

function byDefault(key: NamedKey, rest: Rest): Effective {
  const given = key.default;
  return isDerived(given)
    ? { value: given.from(rest), origin: { kind: "default", words: given.words } }
    : { value: given, origin: { kind: "default", words: undefined } };
}

function checkProfile(profile: string, file: ConfigFile | undefined, given: Given): void {
  const known = [...BUILT_IN_PROFILES, ...(file?.profiles ?? [])];
  if (known.includes(profile)) return;
  const shown = cut(JSON.stringify(profile));
  const problem =
    file === undefined
      ? `is ${shown}, and there is no ${FILE_NAME} that could have this profile`
      : `is ${shown}, and ${file.shown} has no such [profile]`;
  const names = nearest(
    profile,
    profile,
    known.map((name) => ({ name, tail: name })),
  );
  const remedy = didYouMean(names) || `it must be one of ${known.join(", ")}`;
  given.mistakes.push(inVariable(PROFILE_VARIABLE, problem, remedy));
}
