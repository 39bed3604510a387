// policy.toml: denied findings, and temporary allowances for some of them. For changes of Schematics,
// and for other commands with rules of their own.

import { tomlParser } from "#config/toml-parser.js";
import { type Places, placeKey, tomlPlaces } from "#config/toml-places.js";
import { meantAmong } from "#core/nearest.js";
import { DriftError } from "./program-export.js";

/** The rules of a policy, and the key that limits an allowance to a part of an Axon: "node". */
export interface PolicyForm<Rule extends string> {
  readonly rules: readonly Rule[];
  /** For messages. */
  readonly example: Rule;
  readonly part: string;
  /** "the id of the node". */
  readonly partMeans: string;
}

export interface Allowance<Rule extends string = string> {
  readonly rule: Rule;
  readonly axon: string;
  /** Undefined for all of the Axon. */
  readonly part: string | undefined;
  readonly reason: string;
  /** The last day, such as 2026-12-31 (UTC). */
  readonly expires: string;
  /** Line in the policy's file. */
  readonly line: number;
}

export interface Policy<Rule extends string = string> {
  readonly deny: ReadonlySet<Rule>;
  readonly allow: readonly Allowance<Rule>[];
}

/** Reads a policy. `name` is the file's, for messages. Throws DriftError, with a line for each mistake. */
export function readPolicy<Rule extends string>(
  text: string,
  name: string,
  form: PolicyForm<Rule>,
): Policy<Rule> {
  let data: Readonly<Record<string, unknown>>;
  try {
    data = tomlParser().parse(text);
  } catch (error) {
    const { line, column, message } = error as Error & { readonly line?: number; readonly column?: number };
    throw new DriftError(`${name}:${line}:${column}: ${message.split("\n")[0]}`);
  }
  const reader = new PolicyReader(name, text, form);
  const policy = reader.policy(data);
  if (reader.mistakes.length > 0) throw new DriftError(reader.mistakes.join("\n"));
  return policy;
}

const KEYS = ["deny", "allow"];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

class PolicyReader<Rule extends string> {
  readonly mistakes: string[] = [];
  readonly #file: string;
  readonly #form: PolicyForm<Rule>;
  readonly #places: Places;
  readonly #lines: readonly string[];
  /** Lines of the tables: known positions cover only the first one. */
  readonly #headers: readonly number[];

  constructor(file: string, text: string, form: PolicyForm<Rule>) {
    this.#file = file;
    this.#form = form;
    this.#places = tomlPlaces(text);
    this.#lines = text.split("\n");
    this.#headers = this.#lines.flatMap((line, i) => (/^\s*\[\[\s*allow\s*\]\]/.test(line) ? [i + 1] : []));
  }

  policy(data: Readonly<Record<string, unknown>>): Policy<Rule> {
    this.#keys(data, KEYS, []);
    const { deny, allow = [] } = data;
    if (!Array.isArray(deny) || deny.length === 0)
      this.#refuse(
        ["deny"],
        `deny is a list of rules, as in deny = ["${this.#form.example}"]; there are ${this.#form.rules.join(", ")}`,
      );
    if (!Array.isArray(allow))
      this.#refuse(["allow"], "allow is a list of tables: begin each with [[allow]]");
    const rules = (Array.isArray(deny) ? deny : []).flatMap((rule) => this.#rule(rule, ["deny"]));
    const tables = (Array.isArray(allow) ? allow : []) as readonly Readonly<Record<string, unknown>>[];
    return {
      deny: new Set(rules),
      allow: tables.flatMap((table, i) => this.#allowance(table, ["allow", String(i)])),
    };
  }

  #allowance(table: Readonly<Record<string, unknown>>, path: readonly string[]): readonly Allowance<Rule>[] {
    const { part: key, partMeans } = this.#form;
    this.#keys(table, ["rule", "axon", key, "reason", "expires"], path);
    const [rule] = this.#rule(table["rule"], [...path, "rule"]);
    const axon = this.#text(table, "axon", path, "the name of the Axon");
    const reason = this.#text(table, "reason", path, "why it is right here");
    const expires = this.#day(table["expires"], path);
    const part = table[key] === undefined ? undefined : this.#text(table, key, path, partMeans);
    if (rule === undefined || axon === "" || reason === "" || expires === undefined) return [];
    return [{ rule, axon, part, reason, expires, line: this.#lineOf(path) }];
  }

  #rule(given: unknown, path: readonly string[]): readonly Rule[] {
    const { rules } = this.#form;
    if (rules.includes(given as Rule)) return [given as Rule];
    const near = typeof given === "string" ? meantAmong(given, rules) : "";
    const remedy = near || `there are ${rules.join(", ")}`;
    this.#refuse(
      path,
      given === undefined
        ? `rule is missing: ${remedy}`
        : `there is no rule ${JSON.stringify(given)}; ${remedy}`,
    );
    return [];
  }

  /** A TOML date, or its text. */
  #day(given: unknown, path: readonly string[]): string | undefined {
    const day = given instanceof Date ? given.toISOString().slice(0, 10) : given;
    if (typeof day === "string" && DAY.test(day) && !Number.isNaN(Date.parse(day))) return day;
    const what = given === undefined ? "expires is missing" : `expires is ${JSON.stringify(given)}`;
    this.#refuse(
      given === undefined ? path : [...path, "expires"],
      `${what}: give the last day, as in expires = 2027-03-31`,
    );
    return undefined;
  }

  #text(
    table: Readonly<Record<string, unknown>>,
    key: string,
    path: readonly string[],
    what: string,
  ): string {
    const value = table[key];
    if (typeof value === "string" && value.trim() !== "") return value;
    const problem = value === undefined ? "is missing" : "is no text";
    this.#refuse(
      value === undefined ? path : [...path, key],
      `${key} ${problem}: give ${what}, as in ${key} = "..."`,
    );
    return "";
  }

  #keys(table: Readonly<Record<string, unknown>>, known: readonly string[], path: readonly string[]): void {
    for (const key of Object.keys(table))
      if (!known.includes(key))
        this.#refuse(
          [...path, key],
          `there is no key ${JSON.stringify(key)}; ${meantAmong(key, known) || `there are ${known.join(", ")}`}`,
        );
  }

  #refuse(path: readonly string[], problem: string): void {
    this.mistakes.push(`${this.#file}:${this.#lineOf(path)}: ${problem}`);
  }

  /** Line of the nearest key that the file contains. */
  #lineOf(path: readonly string[]): number {
    const [first, table, key] = path;
    if (first === undefined) return 1;
    const header = this.#headers[Number(table)];
    if (header === undefined || first !== "allow") return this.#places.get(placeKey([first]))?.line ?? 1;
    const next = this.#headers.find((line) => line > header);
    const named = this.#lines.findIndex(
      (line, i) => i >= header && i + 1 < (next ?? Number.POSITIVE_INFINITY) && keyOf(line) === key,
    );
    return key === undefined || named < 0 ? header : named + 1;
  }
}

const keyOf = (line: string): string | undefined => /^\s*["']?([^"'=\s]+)["']?\s*=/.exec(line)?.[1];
