// Values of a schema for trying a route by hand: a template, random samples, and samples with one
// part at an edge.

import type { TSchema } from "@sinclair/typebox";
import { compileSchema, fits, type Validator } from "../compile/validator.js";
import type { Place } from "../tree/place.js";
import { partsOf } from "../tree/schema-tree.js";
import { type Choice, oneOf, plain, seeded } from "./choice.js";
import { Draw, type Site } from "./draw.js";
import { edgesOf } from "./edges.js";
import { type LeastDepth, leastDepthOf } from "./least-depth.js";

/** Limit of draws that gave no value or an invalid one. */
const TRIES = 200;
const MAX_SEED = 2 ** 32;

/** A sample with one part at an edge. */
export interface EdgeSample {
  readonly value: unknown;
  /** True if the schema accepts it. */
  readonly isValid: boolean;
  /** The part and its edge: "/lines/0/qty: 0, below its minimum of 1". */
  readonly note: string;
}

export class Samples {
  readonly #root: Place;
  readonly #leastDepth: LeastDepth;
  readonly #validator: Validator;

  /**
   * `owner` is the owner of the schema, for messages. Throws SCHEMA_INVALID or SCHEMA_UNSUPPORTED
   * for a schema without a JSON form.
   */
  constructor(schema: TSchema, owner: string) {
    this.#validator = compileSchema(schema, { owner, origin: "json" });
    this.#root = { schema, names: new Map() };
    this.#leastDepth = leastDepthOf(this.#root);
  }

  /**
   * Each property once, with its plainest value. Valid, like each sample. Undefined if none is
   * found, because parts contradict each other or leave too little room.
   */
  template(): unknown {
    const { value } = this.#drawn(plain);
    return this.fits(value) ? value : this.random(0);
  }

  /** Deterministic for a seed, an integer below 2^32. */
  random(seed: number): unknown {
    return this.#sampled(seed)?.value;
  }

  /** A boundary value, which is valid, or a near miss, which is not. */
  edge(seed: number): EdgeSample | undefined {
    const drawn = this.#sampled(seed);
    if (drawn === undefined) return undefined;
    const choice = seeded(seed);
    const wantsValid = choice.below(2) === 1;
    const found = [...candidates(drawn, choice)].map((edge) => ({
      ...edge,
      isValid: this.#validator.check(edge.value),
    }));
    return found.find(({ isValid }) => isValid === wantsValid) ?? found[0];
  }

  /** Whether the schema accepts the value. */
  fits(value: unknown): boolean {
    return value !== undefined && this.#validator.check(value);
  }

  #sampled(seed: number): Drawn | undefined {
    const seeds = seeded(seed);
    let next = seed;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const drawn = this.#drawn(seeded(next));
      if (this.fits(drawn.value)) return drawn;
      next = seeds.below(MAX_SEED);
    }
    return undefined;
  }

  #drawn(choice: Choice): Drawn {
    const draw = new Draw(choice, this.#leastDepth);
    return { value: draw.value(this.#root), sites: draw.sites };
  }
}

/**
 * The template of a schema that is compiled for nothing else: a twentieth of the time if the first
 * draw is valid. Throws as Samples does.
 */
export function templateOf(schema: TSchema, owner: string): unknown {
  const root: Place = { schema, names: new Map() };
  // Without references every value is finite.
  const value = new Draw(plain, refers(schema) ? leastDepthOf(root) : () => 1).value(root);
  return value !== undefined && fits(schema, value) ? value : new Samples(schema, owner).template();
}

const refers = (schema: TSchema): boolean =>
  schema["$ref"] !== undefined || partsOf(schema).some(([, part]) => refers(part));

interface Drawn {
  readonly value: unknown;
  readonly sites: readonly Site[];
}

/** Number of sites tried for an edge of the wanted kind. */
const SITES = 12;

function* candidates({ value, sites }: Drawn, choice: Choice): Iterable<Omit<EdgeSample, "isValid">> {
  // A site may belong to an item that was drawn but not used.
  const there = sites.filter((site) => Object.is(at(value, site.path), site.value));
  for (let tries = 0; tries < SITES && there.length > 0; tries += 1) {
    const site = oneOf(choice, there);
    const edges = edgesOf(site.schema, site.value);
    if (edges.length === 0) continue;
    const edge = oneOf(choice, edges);
    yield { value: replaced(value, site.path, edge.value), note: `${pointerOf(site.path)}${edge.note}` };
  }
}

const at = (value: unknown, path: Site["path"]): unknown =>
  path.reduce<unknown>(
    (inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step],
    value,
  );

function replaced(value: unknown, [step, ...rest]: Site["path"], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? replaced(item, rest, by) : item));
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === step ? replaced(item, rest, by) : item]),
  );
}

const pointerOf = (path: Site["path"]): string =>
  path.length === 0
    ? ""
    : `${path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}: `;
