// Where a schema marks values: every place of a value that a mark may apply to, and marks that
// contradict each other or that no value reaches.

import type { TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import {
  agree,
  type Category,
  type ClassificationLevel,
  highest,
  type Mark,
  markComplaint,
  markOf,
  printedMark,
  SENSITIVE,
} from "#core/secrets/sensitive.js";
import { eachSchema, kindOf, stepTo } from "../tree/schema-tree.js";
import { type Part, Sets } from "./marked-places.js";

/** A field that a schema marks. */
export interface ClassifiedField {
  /** A JSON Pointer; `*` stands for any item, and for any name that the schema does not list. */
  readonly pointer: string;
  /** At least that of the marked values around the field. */
  readonly level: ClassificationLevel;
  readonly category?: Category;
}

/** Further places of a schema whose references multiply: they count as restricted. */
const MAX_PLACES = 20_000;

/** The marks of a schema, each with the highest level of those around it, in the order of the schema. */
export const listedMarks = (schema: TSchema): readonly ClassifiedField[] => {
  const walk = new Walk(schema);
  walk.all();
  return [...walk.found.values()];
};

/** Throws SCHEMA_INVALID, with the place and the remedy, for marks that cannot be what the author meant. */
export function requireMarks(schema: TSchema): void {
  const marked: [part: TSchema, pointer: string][] = [];
  const whole: string[] = [];
  eachSchema(schema, (part, pointer) => {
    // A module has all its schemas beside the one that is used.
    if (kindOf(part) === "Import") whole.push(`${pointer}/$defs/`);
    if (part[SENSITIVE] === undefined) return;
    const wrong = markComplaint(part[SENSITIVE]);
    if (wrong !== undefined) throw invalid(`Schema at '${pointer}', ${SENSITIVE}: ${wrong}`);
    if (markOf(part) !== undefined) marked.push([part, pointer]);
  });
  if (marked.length === 0) return;
  const walk = new Walk(schema);
  walk.all();
  if (walk.complaint !== undefined) throw invalid(walk.complaint);
  for (const [part, pointer] of marked)
    if (!walk.reached.has(part) && !whole.some((begin) => pointer.startsWith(begin)))
      throw invalid(
        `Schema at '${pointer}': no value reaches this mark; refer to the schema, or leave it out`,
      );
}

const invalid = (message: string): FrameworkError => new FrameworkError("SCHEMA_INVALID", message);

class Walk {
  readonly found = new Map<string, ClassifiedField>();
  readonly reached = new Set<TSchema>();
  complaint: string | undefined;
  readonly #sets: Sets;
  #places = 0;

  constructor(schema: TSchema) {
    this.#sets = new Sets(schema);
  }

  all(): void {
    this.#place(this.#sets.joint([this.#sets.first]), "", undefined, undefined, []);
  }

  /** One place. All of `joint` apply to it; `mark` is what unions around them say of the same place. */
  #place(
    joint: readonly Part[],
    pointer: string,
    mark: Mark | undefined,
    outer: Mark["level"] | undefined,
    path: readonly string[],
  ): void {
    this.#places += 1;
    if (this.#places > MAX_PLACES) {
      this.#add(pointer, { level: "restricted" });
      return;
    }
    const own = this.#own(joint, pointer, mark);
    const union = joint.find((part) => this.#sets.variants(part).length > 0);
    if (union !== undefined) {
      const others = joint.filter((part) => part !== union);
      for (const variant of this.#sets.variants(union))
        this.#place([...others, ...this.#sets.joint([variant])], pointer, own, outer, path);
      return;
    }
    const level = highest(own?.level, outer === "public" ? undefined : outer);
    if (own !== undefined) this.#add(pointer, { ...own, level: level ?? own.level });
    const key = joint
      .flatMap(({ id, schema }) => (schema["$ref"] === undefined ? [id] : []))
      .sort((a, b) => a - b)
      .join(" ");
    // Deeper values of a recursive schema have the names that are listed.
    if (path.includes(key)) return;
    const around = level ?? outer;
    for (const [step, inner] of this.#sets.inside(joint)) {
      const to = `${pointer}/${step === "*" ? step : stepTo(step)}`;
      this.#place(this.#sets.joint(inner), to, undefined, around, [...path, key]);
    }
  }

  #own(joint: readonly Part[], pointer: string, given: Mark | undefined): Mark | undefined {
    let own = given;
    for (const { schema } of joint) {
      this.reached.add(schema);
      const mark = markOf(schema);
      if (mark === undefined) continue;
      if (own !== undefined && !agree(own, mark))
        this.complaint ??= `Values at '${pointer}' are marked ${printedMark(own)} and ${printedMark(mark)}; mark them once`;
      own =
        own === undefined
          ? mark
          : { ...own, ...mark, level: highest(own.level, mark.level) as Mark["level"] };
    }
    return own;
  }

  #add(pointer: string, { level, category }: Mark): void {
    const listed = { pointer, level, ...(category !== undefined && { category }) };
    this.found.set(JSON.stringify(listed), listed);
  }
}

/** Names of properties that have no mark, and stand in no marked value. */
export function unmarkedNames(schema: TSchema): ReadonlySet<string> {
  const [pointers, marked]: [string[], string[]] = [[], []];
  eachSchema(schema, (part, pointer) => {
    pointers.push(pointer);
    if (markOf(part) !== undefined) marked.push(pointer);
  });
  const open = pointers.filter(
    (pointer) => !marked.some((outer) => pointer === outer || pointer.startsWith(`${outer}/`)),
  );
  return new Set(open.flatMap((pointer) => /\/properties\/([^/]+)$/.exec(pointer)?.[1] ?? []));
}
