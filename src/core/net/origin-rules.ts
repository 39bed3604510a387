// Rules for allowed origins: scheme, host and port, as browsers write them (HTML, "serialization
// of an origin"). The origin of a request is never normalised. An origin that a pattern or a
// function allows is checked against the grammar, so that it is safe in a response header.

import { FrameworkError } from "../errors.js";

/**
 * An origin: "https://app.example", "http://localhost:5173", "null". Or a pattern for all names
 * below a domain, at any depth, without the domain itself: "https://*.example.com", with the
 * same scheme and port; https without a scheme. Or a function, called with origins as browsers
 * write them, never with "null". It must be synchronous. It allows by `true` only: any other
 * result and a thrown error refuse.
 */
export type OriginRule = string | ((origin: string) => boolean);

// No userinfo, path or empty labels, and no port that begins with a zero.
const ORIGIN =
  /^([a-z][a-z0-9+.-]*):\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/;

/** A name of 253 characters, a scheme, and a port. */
const MAX_LENGTH = 300;

const OWN_PORTS: ReadonlyMap<string, string> = new Map([
  ["http", "80"],
  ["https", "443"],
]);

/** Top-level domains without a registry: RFC 2606, 6761 and 6762 with its appendix G. */
const NOBODYS: ReadonlySet<string> = new Set(
  "corp example home internal intranet invalid lan local localhost private test".split(" "),
);

/** All names with a suffix, of one scheme. The part before the suffix is not empty: no name begins with a dot. */
interface Below {
  readonly scheme: string;
  readonly suffix: string;
}

export class OriginRules {
  readonly exact: ReadonlySet<string>;
  readonly #below: readonly Below[] = [];
  readonly #functions: readonly ((origin: string) => boolean)[] = [];

  /** Throws CONFIG_INVALID, which names each invalid rule and the option with it. */
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

  /** For rules that allow users' cookies. Throws CONFIG_INVALID for a pattern of a whole top-level domain. */
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
      // hole: "evilexample.com" would pass for a name below "example.com"
      this.#below.some(({ scheme, suffix }) => origin.startsWith(scheme) && origin.endsWith(suffix)) ||
      this.#functions.some((rule) => isTrue(rule, origin))
    );
  }
}

/** True for an origin as browsers write it. False for "null". */
function isOrigin(text: string): boolean {
  const [, scheme = "", , port] = (text.length <= MAX_LENGTH && ORIGIN.exec(text)) || [];
  return scheme !== "" && (port === undefined || (Number(port) < 65_536 && port !== OWN_PORTS.get(scheme)));
}

/** An async function is refused: a promise does not allow an origin. */
const isAsync = (rule: unknown): boolean => Object.prototype.toString.call(rule) === "[object AsyncFunction]";

function isTrue(rule: (origin: string) => unknown, origin: string): boolean {
  try {
    const answer = rule(origin);
    // An unhandled rejection would end the process.
    if (typeof answer === "object") Promise.resolve(answer).catch(() => {});
    // hole: a promise would admit the origin
    return answer === true;
  } catch {
    return false;
  }
}

/** The normalised form of a rule; undefined if no browser sends such an origin. */
function canonical(rule: unknown): string | undefined {
  if (typeof rule !== "string") return undefined;
  if (rule === "null") return rule;
  const lower = rule.toLowerCase();
  const whole = lower.startsWith("*.") ? `https://${lower}` : lower;
  // Uses a name in place of the star: browsers normalise the rest the same way.
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

/** True if browsers keep the text unchanged: they rewrite http://127.1, for instance, as http://127.0.0.1. */
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
