// A pino logger that accepts any value and writes lines that are valid and cannot be forged.

import { createRequire } from "node:module";
import type { ChildLoggerOptions, Logger, pino } from "pino";

import type { AccessLog } from "#core/ports/answer-observer.js";
import { ACCESS_MODULE, accessLines } from "./access-lines.js";
import { jsonLines, lineFormat } from "./line-format.js";
import type { LineOutput } from "./line-output.js";
import { isError, type Plain, type PlainObject, PlainValues } from "./plain-value.js";

export interface LogSettings {
  readonly format: "json" | "pretty" | "compact";
  /** The lowest level that is written. */
  readonly level: string;
  /** Levels of modules; `http` also applies to `http.access` if that has none. */
  readonly moduleLevels: Readonly<Record<string, string>>;
}

/**
 * Must not throw. `origin` identifies the logger that wrote the line, or its nearest ancestor with
 * an origin.
 */
export type LineReader = (line: string, origin: object | undefined) => void;

/** A pino logger with child loggers for the program's modules. */
export interface Logging extends Logger {
  /** A child whose lines contain `module`, with its level from `logging.module_levels`. */
  module(name: string): Logger;
}

/** The process's logger, and the access log of its module `http.access`. */
export interface RootLogger extends Logging {
  readonly access: AccessLog;
  /** Redacts fields with these names from now on. */
  readonly hide: (names: Iterable<string>) => void;
  /** Called with each line as JSON, whatever the format; lines of `http.access` are left out. */
  readonly readers: Set<LineReader>;
}

/** The methods of LineOutput that a logger uses. */
type Output = Pick<LineOutput, "write" | "gather" | "flush" | "onRecovered">;

const bound = Symbol("bound");
const fields = Symbol("fields");
const hidden = Symbol("hidden");
const origin = Symbol("origin");
const writing = Symbol("writing");

interface Bound {
  readonly [bound]: ReadonlySet<string>;
  /** Names of redacted fields: one set for a logger and its children. */
  readonly [hidden]: ReadonlySet<string>;
  /** Inherited by its children. */
  readonly [origin]?: object;
  /** The line that is being written: one for a logger and its children. */
  readonly [writing]: { origin: object | undefined };
}

/** Marks a logger, so that its lines and those of its children can be told from all others. */
export const ofRequest = (logger: Logger): Logger => Object.assign(logger, { [origin]: Object.freeze({}) });

/** The origin of the lines of the framework's own reports. No logger of a program has it. */
export const REPORTS: object = Object.freeze({});
export const ofReports = (logger: Logger): Logger => Object.assign(logger, { [origin]: REPORTS });

/** The mark of a logger; undefined for any other value. */
export const originOf = (log: unknown): object | undefined =>
  typeof log === "object" && log !== null ? (log as Partial<Bound>)[origin] : undefined;

// Loaded with the first logger: a program that logs nothing does not pay for it.
const require = createRequire(import.meta.url);

export function createLogger(settings: LogSettings, output: Output, coloured = false): RootLogger {
  const make = require("pino") as typeof pino;
  const asText = lineFormat(settings.format, coloured);
  const readers = new Set<LineReader>();
  const told: Bound[typeof writing] = { origin: undefined };
  const stream = {
    write: (line: string) => {
      // Read first: onRecovered may write a line within this write.
      const { origin: by } = told;
      output.write(asText(line));
      for (const read of readers) read(line, by);
    },
    flush: (done: () => void) => {
      output.flush();
      done();
    },
  };
  const logger = make(
    {
      level: settings.level,
      base: null,
      // The value is plain already.
      serializers: Object.assign(Object.create(null), { err: (error: unknown) => error }),
      formatters: { log: (given: object) => (given as { [fields]?: PlainObject })[fields] ?? {} },
      hooks: { logMethod },
    },
    stream,
  );
  const child = bindingChild(logger.child);
  const module = (name: string): Logger => root.child({ module: name }, { level: levelOf(name, settings) });
  const names = new Set<string>();
  const root: Logging = Object.assign(logger, {
    ...{ [bound]: ALWAYS, [hidden]: names, [writing]: told },
    child,
    module,
  });
  output.onRecovered = (dropped) =>
    // Written at any level: an unreported gap reads as silence.
    root
      .child({ module: "framework" }, { level: "warn" })
      .warn({ code: "LOG_DROPPED", dropped }, `${dropped} log lines were dropped: nobody took them in time`);
  const gather =
    settings.format === "json"
      ? (line: string) => output.gather(line, jsonLines)
      : (line: string) => output.gather(asText(line));
  return Object.assign(root, {
    access: accessLines(module(ACCESS_MODULE).isLevelEnabled("info"), gather),
    readers,
    hide: (added: Iterable<string>) => {
      for (const name of added) names.add(name);
    },
  });
}

const ALWAYS: ReadonlySet<string> = new Set(["level", "time", "msg"]);

function levelOf(name: string, { level, moduleLevels }: LogSettings): string {
  for (let scope = name; ; scope = scope.slice(0, scope.lastIndexOf("."))) {
    if (Object.hasOwn(moduleLevels, scope)) return moduleLevels[scope] as string;
    if (!scope.includes(".")) return level;
  }
}

/** Wraps each log method: pino gets plain fields and a formatted message. */
function logMethod(this: Logger, args: readonly unknown[], method: (...args: never[]) => void): void {
  const [first, ...rest] = args;
  const hasFields = typeof first === "object" && first !== null;
  const { [bound]: taken, [hidden]: unshown, [origin]: own, [writing]: told } = this as unknown as Bound;
  const values = new PlainValues(unshown);
  const message = messageOf(hasFields || first === undefined ? rest : args, values);
  const given = hasFields ? recordOf(first, values) : {};
  const { msg } = given;
  const text = message ?? (typeof msg === "string" ? msg : messageOfError(given["err"]));
  if (message === undefined && typeof msg === "string") delete given["msg"];
  told.origin = own;
  // Passed under a symbol: pino would inspect fields for a request or a response.
  method.apply(this, [{ [fields]: unforged(given, taken) }, text] as never[]);
  told.origin = undefined;
}

/** Formats the template; values without a placeholder are appended. */
function messageOf(parts: readonly unknown[], values: PlainValues): string | undefined {
  if (parts.length === 0 || parts[0] === undefined) return undefined;
  // Most lines have a text alone.
  if (parts.length === 1) return asText(values.of(parts[0]));
  const [template = "", ...rest] = parts.slice(0, MAX_PARTS).map((part) => asText(values.of(part)));
  const filled = template.replace(PLACE, (place) => (place === "%%" ? "%" : (rest.shift() ?? place)));
  return values.masked([filled, ...rest].join(" "));
}

const MAX_PARTS = 20;
const PLACE = /%[%sdifjoO]/g;

const asText = (plain: Plain): string => (typeof plain === "string" ? plain : JSON.stringify(plain));

const messageOfError = (error: unknown): string | undefined => {
  const message = (error as { message?: unknown } | undefined)?.message;
  return typeof message === "string" ? message : undefined;
};

type Fields = { [key: string]: Plain };

function recordOf(given: object, values: PlainValues): Fields {
  const plain = values.of(given);
  if (isError(given)) return { err: plain };
  if (typeof plain !== "object" || plain === null || Array.isArray(plain)) return { value: plain };
  return plain as Fields;
}

function unforged(given: Fields, taken: ReadonlySet<string>): Fields {
  const forged = Object.keys(given).filter((key) => taken.has(key));
  if (forged.length === 0) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [taken.has(key) ? `${key}_` : key, value]),
  );
}

/** Names that pino reserves or calls. */
const NOT_BOUND = ["customLevels", "formatters", "hasOwnProperty", "serializers"];

/** Children bind plain values; their fields do not override the bound ones. */
const bindingChild = (child: Logger["child"]): Logger["child"] =>
  function (this: Logger, bindings: object, options?: ChildLoggerOptions<never>) {
    const { [bound]: taken, [hidden]: unshown } = this as unknown as Bound;
    const own = unforged(recordOf(bindings, new PlainValues(unshown)), new Set([...taken, ...NOT_BOUND]));
    const made = child.call(this, own, options as never);
    return Object.assign(made, { [bound]: new Set([...taken, ...Object.keys(own)]) });
  } as Logger["child"];
