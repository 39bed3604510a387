// Which origins are let in: scheme, host and port, as browsers write them (HTML,
// "serialization of an origin"). What a request names is never made alike first. What a pattern
// or a function lets in is an origin by the grammar, so that it may stand in a response header.

import { FrameworkError } from "../errors.js";

/**
 * An origin: "https://app.example", "http://localhost:5173", "null"; every name below one, at any
 * depth, without that one: "https://*.example.com", with the same scheme and port, and without
 * a scheme for https; or a function. It is given origins as browsers write them, never "null", answers
 * at once, and refuses by whatever is not `true`, by throwing too.
 */
export type OriginRule = string | ((origin: string) => boolean);

// Without userinfo, path, empty labels, and ports that begin with a zero.
const ORIGIN =
  /^([a-z][a-z0-9+.-]*):\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/;

/** A name of 253 characters, a scheme, and a port. */
const MAX_LENGTH = 300;

const OWN_PORTS: ReadonlyMap<string, string> = new Map([
  ["http", "80"],
  ["https", "443"],
]);

/** Top-level domains that no registry sells names in: RFC 2606, 6761 and 6762 with its appendix G. */
const NOBODYS: ReadonlySet<string> = new Set(
  "corp example home internal intranet invalid lan local localhost private test".split(" "),
);

/** Every name that ends in a suffix, of one scheme. What stands between is not empty: no name begins with a dot. */
interface Below {
  readonly scheme: string;
  readonly suffix: string;
}

export class OriginRules {
  readonly exact: ReadonlySet<string>;
  readonly #below: readonly Below[] = [];
  readonly #functions: readonly ((origin: string) => boolean)[] = [];

  /** Throws CONFIG_INVALID, naming each rule that is none and the option that they come from. */
  constructor(rules: readonly OriginRule[], option: string) {
    if (!Array.isArray(rules)) throw noOrigins([rules], option);
    if (rules.some(isAsync))
      throw new FrameworkError(
        "CONFIG_INVALID",
        `${option}: a function among origins answers at once, and is not async: keep what it looks at in memory`,
      );
    const texts = rules.filter((rule) => typeof rule !== "function");
    const wrong = texts.filter((text) => canonical(text) === undefined);
    if (wrong.length > 0) throw noOrigins(wrong, option);
    const known = texts.map((text) => canonical(text) as string);
    this.exact = new Set(known.filter((text) => !text.includes("*")));
    this.#below = known.filter((text) => text.includes("*")).map(belowOf);
    this.#functions = rules.filter((rule) => typeof rule === "function");
  }

  /** For where users' cookies come along. Throws CONFIG_INVALID for a pattern of a whole top-level domain. */
  requireOwned(option: string): void {
    const [open] = this.#below.filter(({ scheme, suffix }) => {
      const [, label] = /^\.([^.:]+)(?::\d+)?$/.exec(suffix) ?? [];
      return OWN_PORTS.has(scheme.slice(0, -"://".length)) && label !== undefined && !NOBODYS.has(label);
    });
    if (open === undefined) return;
    throw new FrameworkError(
      "CONFIG_INVALID",
      `${option}: '${open.scheme}*${open.suffix}' lets anybody who has a name there act with this server's users' cookies: name domains of your own, such as https://*.app.example; or give a function`,
    );
  }

  allows(origin: string): boolean {
    if (this.exact.has(origin)) return true;
    if (this.#below.length + this.#functions.length === 0 || !isOrigin(origin)) return false;
    return (
      this.#below.some(({ scheme, suffix }) => origin.startsWith(scheme) && origin.endsWith(suffix)) ||
      this.#functions.some((rule) => isTrue(rule, origin))
    );
  }
}

/** Whether a text is an origin as browsers write it: "null" is none. */
function isOrigin(text: string): boolean {
  const [, scheme = "", , port] = (text.length <= MAX_LENGTH && ORIGIN.exec(text)) || [];
  return scheme !== "" && (port === undefined || (Number(port) < 65_536 && port !== OWN_PORTS.get(scheme)));
}

/** It would be asked for nothing: a promise is no consent. */
const isAsync = (rule: unknown): boolean => Object.prototype.toString.call(rule) === "[object AsyncFunction]";

function isTrue(rule: (origin: string) => unknown, origin: string): boolean {
  try {
    const answer = rule(origin);
    // A promise that failed would be nobody's, and end the process.
    if (typeof answer === "object") Promise.resolve(answer).catch(() => {});
    return answer === true;
  } catch {
    return false;
  }
}

/** A rule as it is compared; undefined where no browser names such an origin. */
function canonical(rule: unknown): string | undefined {
  if (typeof rule !== "string") return undefined;
  if (rule === "null") return rule;
  const lower = rule.toLowerCase();
  const whole = lower.startsWith("*.") ? `https://${lower}` : lower;
  // A name in the place of the star: browsers write the rest as they write it below that name.
  const [scheme = "", rest = ""] = whole.split("://", 2);
  const isBelow = rest.startsWith("*.");
  const origin = withoutOwnPort(isBelow ? whole.replace("*", "x") : whole, scheme);
  if (!isOrigin(origin) || !isAsWritten(origin, scheme)) return undefined;
  return isBelow ? origin.replace("://x", "://*") : origin;
}

const withoutOwnPort = (origin: string, scheme: string): string => {
  const port = `:${OWN_PORTS.get(scheme)}`;
  return origin.endsWith(port) ? origin.slice(0, -port.length) : origin;
};

/** Whether a browser writes it so: of http://127.1, say, it makes http://127.0.0.1. */
const isAsWritten = (origin: string, scheme: string): boolean =>
  !OWN_PORTS.has(scheme) || (URL.canParse(origin) && new URL(origin).origin === origin);

function belowOf(pattern: string): Below {
  const star = pattern.indexOf("*");
  return { scheme: pattern.slice(0, star), suffix: pattern.slice(star + 1) };
}

const noOrigins = (wrong: readonly unknown[], option: string): FrameworkError =>
  new FrameworkError(
    "CONFIG_INVALID",
    `${option}: ${wrong.map((rule) => `'${String(rule)}'`).join(", ")}; write a list of origins as browsers do, such as https://app.example or http://localhost:5173, without a path or a slash at the end, names in ASCII (xn--...); https://*.app.example for every name below it; or give a function`,
  );
