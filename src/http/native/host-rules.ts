// Rules of served hosts. A rule without a port matches every port.

import { FrameworkError } from "#core/errors.js";
import { formatIp, parseIp } from "#core/net/ip-address.js";

const RULE = /^(?:(?:\*\.)?[a-z0-9_-][a-z0-9._-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

export class HostRules {
  readonly #rules: ReadonlySet<string>;

  /** Rules: `example.com`, `*.example.com` for subdomains, `[::1]`, each with or without a port. Throws CONFIG_INVALID. */
  constructor(rules: readonly string[]) {
    const wrong = rules.filter((rule) => !RULE.test(rule) || partsOf(rule) === undefined);
    if (wrong.length > 0) {
      throw new FrameworkError(
        "CONFIG_INVALID",
        `allowedHosts: ${wrong.map((rule) => `'${rule}'`).join(", ")}; use names such as example.org, *.example.org or example.org:8080`,
      );
    }
    this.#rules = new Set(rules.map((rule) => partsOf(rule)?.join("") ?? ""));
  }

  /** True for every host if there are no rules. */
  allows(host: string): boolean {
    if (this.#rules.size === 0) return true;
    const [name, port] = partsOf(host) ?? [];
    if (name === undefined) return false;
    if (this.#names(name, port)) return true;
    for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1))
      if (dot > 0 && this.#names(`*${name.slice(dot)}`, port)) return true;
    return false;
  }

  #names(name: string, port = ""): boolean {
    return this.#rules.has(name) || this.#rules.has(name + port);
  }
}

/** The normalised name, and ":port" or "". */
function partsOf(host: string): readonly [name: string, port: string] | undefined {
  const [, name = "", port = ""] = /^(\[[^\]]*\]|[^:]*)(:\d+)?:?$/.exec(host.toLowerCase()) ?? [];
  // Removes the trailing dot of a fully qualified name.
  if (!name.startsWith("[")) return [name.replace(/\.$/, ""), port];
  const address = parseIp(name.slice(1, -1));
  return address && [`[${formatIp(address)}]`, port];
}

// RFC 9110, section 7.2, and RFC 3986, section 3.2.2, without user information.
const REG_NAME = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})+(?::\d{0,5})?$/;
const IPV6 = /^\[[0-9A-Fa-f:.]{2,45}\](?::\d{0,5})?$/;

export const isHost = (value: string): boolean =>
  value.length <= 261 && (REG_NAME.test(value) || IPV6.test(value));
