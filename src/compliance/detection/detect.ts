// Finds personal data in a value, by the names of properties and by the values. Bounded by nodes, depth
// and characters: what lies beyond is not looked at.

import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { Category } from "#core/secrets/sensitive.js";
import { isBareName, kindOfName } from "./personal-names.js";
import { nationalNumbers } from "./phone-numbers.js";
import { isCard, MAX_FINDS, type TextFind, type TextRules, textFinds } from "./text-finds.js";

export interface DetectOptions {
  /**
   * ISO 3166 codes of countries whose national telephone numbers and unseparated national numbers count.
   * Needs the package libphonenumber-js. Default: none.
   */
  readonly regions?: readonly string[];
}

export interface PersonalFinding {
  /** JSON pointer. A key of an object that is itself personal data stands in it as `[redacted]`. */
  readonly pointer: string;
  readonly kind: Category;
  /** From 0 to 1: whole values with check digits are near 1, names without a value that confirms them lower. */
  readonly confidence: number;
}

/** A finding with its place in the value. */
export interface PlacedFinding extends PersonalFinding {
  readonly path: readonly string[];
  /** Parts of the text at the path; or the whole value; or the last key of the path. */
  readonly part: readonly TextFind[] | "whole" | "key";
}

const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
/** Of one text, and of all texts of a value together. */
const MAX_TEXT = 65_536;
const MAX_TEXTS = 1_048_576;
const MAX_FINDINGS = 1000;

const BY_NAME = 0.75;
/** The properties that make an object a person's, so that its `name` is a person's. */
const OF_PERSONS: ReadonlySet<Category> = new Set([
  "email",
  "phone",
  "date_of_birth",
  "national_id",
  "passport",
]);

/** Finds personal data by names of properties and by values. Throws CONFIG_INVALID. */
export function detect(value: unknown, options: DetectOptions = {}): readonly PersonalFinding[] {
  requireKnownOptions("detect", options, ["regions"]);
  const { found } = findings(value, textRules(options.regions));
  return found.map(({ pointer, kind, confidence }) => ({ pointer, kind, confidence }));
}

const known = new Map<string, TextRules>();
const MAX_KNOWN = 64;

/** Throws CONFIG_INVALID. */
export function textRules(regions: readonly string[] = []): TextRules {
  if (!Array.isArray(regions) || regions.some((region) => typeof region !== "string"))
    throw invalidOption("detect({ regions })", 'give a list of codes such as ["DE", "US"]');
  const key = regions.join();
  const before = known.get(key);
  if (before !== undefined) return before;
  const rules = {
    regions: new Set(regions),
    isNationalPhone: regions.length === 0 ? undefined : nationalNumbers(regions),
  };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, rules);
  return rules;
}

/** Values of JSON: streams, uploads and instances of classes are not read. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/** True if what is at this path is not to be looked at, as it is marked. */
export type IsExempt = (path: readonly string[]) => boolean;

export interface Findings {
  readonly found: readonly PlacedFinding[];
  /** False if a bound was met: what lies beyond was not looked at. */
  readonly isWhole: boolean;
}

export function findings(value: unknown, rules: TextRules, isExempt: IsExempt = () => false): Findings {
  const walk = new Walk(rules, isExempt);
  walk.visit(value, [], "", undefined);
  return walk;
}

class Walk implements Findings {
  isWhole = true;
  readonly found: PlacedFinding[] = [];
  readonly #rules: TextRules;
  readonly #isExempt: IsExempt;
  readonly #above = new Set<object>();
  #nodes = 0;
  #chars = 0;

  constructor(rules: TextRules, isExempt: IsExempt) {
    this.#rules = rules;
    this.#isExempt = isExempt;
  }

  visit(value: unknown, path: readonly string[], pointer: string, name: string | undefined): void {
    if (this.#isExempt(path)) return;
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || this.found.length >= MAX_FINDINGS) this.isWhole = false;
    else if (typeof value === "string") this.#text(value, path, pointer, name);
    else if (typeof value === "number" && Number.isSafeInteger(value) && isCard(String(value)))
      this.#add({ path, pointer, kind: "card", confidence: 0.7, part: "whole" });
    else if (isPlain(value)) this.#inside(value, path, pointer, name);
  }

  #inside(value: object, path: readonly string[], pointer: string, name: string | undefined): void {
    if (path.length >= MAX_DEPTH) this.isWhole = false;
    if (path.length >= MAX_DEPTH || this.#above.has(value)) return;
    this.#above.add(value);
    if (Array.isArray(value))
      for (let i = 0; i < value.length && this.#nodes <= MAX_NODES; i += 1)
        this.visit(value[i], [...path, String(i)], `${pointer}/${i}`, name);
    else this.#properties(value, path, pointer, name);
    this.#above.delete(value);
  }

  #properties(value: object, path: readonly string[], pointer: string, name: string | undefined): void {
    const keys: string[] = [];
    for (const key in value) {
      if (keys.length + this.#nodes > MAX_NODES) {
        this.isWhole = false;
        break;
      }
      if (Object.hasOwn(value, key)) keys.push(key);
    }
    const kinds = keys.map((key) => kindOfName(key, name));
    const isPerson = kinds.some((kind) => kind !== undefined && OF_PERSONS.has(kind));
    keys.forEach((key, i) => {
      const child = (value as Record<string, unknown>)[key];
      const here = [...path, key];
      const own = this.#keyFinds(key);
      const place = `${pointer}/${own.length > 0 ? "[redacted]" : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      for (const { kind, confidence } of own)
        this.#add({ path: here, pointer: place, kind, confidence, part: "key" });
      const kind = kinds[i] ?? (isPerson && isBareName(key) ? "name" : undefined);
      if (kind !== undefined && typeof child !== "boolean" && !this.#isExempt(here))
        this.#add({ path: here, pointer: place, kind, confidence: BY_NAME, part: "whole" });
      this.visit(child, here, place, key);
    });
  }

  /** Records may be keyed by e-mail addresses. */
  #keyFinds(key: string): readonly TextFind[] {
    return key.length < 6 || key.length > 320 || !/[@\d]/.test(key) ? [] : this.#finds(key, undefined);
  }

  #text(value: string, path: readonly string[], pointer: string, name: string | undefined): void {
    const finds = this.#finds(value, name);
    for (const kind of new Set(finds.map((find) => find.kind))) {
      const spans = finds.filter((find) => find.kind === kind);
      const confidence = Math.max(...spans.map((find) => find.confidence));
      this.#add({ path, pointer, kind, confidence, part: spans });
    }
  }

  #finds(text: string, name: string | undefined): readonly TextFind[] {
    const room = Math.min(MAX_TEXT, MAX_TEXTS - this.#chars);
    if (text.length < 3) return [];
    const part = text.slice(0, room);
    this.#chars += part.length;
    const isVersion = name !== undefined && /version|release|build/i.test(name);
    const finds = textFinds(part, this.#rules, isVersion);
    if (text.length > room || finds.length >= MAX_FINDS) this.isWhole = false;
    return finds;
  }

  /** One finding per place and kind: a value that confirms its name is surer than either. */
  #add(finding: PlacedFinding): void {
    const at = this.found.findLastIndex(
      ({ pointer, kind }) => pointer === finding.pointer && kind === finding.kind,
    );
    const before = this.found[at];
    if (before === undefined) this.found.push(finding);
    else {
      const confidence = Math.min(0.99, Math.max(before.confidence, finding.confidence) + 0.05);
      this.found[at] = { ...before, confidence: Math.round(confidence * 100) / 100 };
    }
  }
}
