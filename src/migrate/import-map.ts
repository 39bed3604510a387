import { type Imported, type ImportRule, type Note, toldBy } from "./rule.js";

/** An export of a module. */
export interface Target {
  readonly module: string;
  readonly name: string;
}

/** Where the exports of modules are after rules, one rule after another. */
export class ImportMap {
  readonly #rules: readonly ImportRule[];
  readonly #notes: Note[];

  constructor(rules: readonly ImportRule[], notes: Note[]) {
    this.#rules = rules;
    this.#notes = notes;
  }

  concerns(module: string): boolean {
    return this.#rules.some(({ fromModule }) => fromModule === module);
  }

  /** Whether a rule is for one name of the module. */
  hasNames(module: string): boolean {
    return this.#rules.some(({ fromModule, fromName }) => fromModule === module && fromName !== undefined);
  }

  /** Notes what rules tell of it at `at`. */
  name(module: string, name: string, at: number): Target {
    let target = { module, name };
    for (const rule of this.#rules) {
      if (!isOf(rule, target)) continue;
      if (rule.kind === "rename_import")
        target = {
          module: rule.toModule,
          name: rule.fromName === undefined ? target.name : (rule.toName ?? target.name),
        };
      else if (rule.fromName !== undefined) this.#notes.push({ at, message: toldBy(rule) });
    }
    return target;
  }

  /** Where the module itself is. Notes what rules tell of it at `at`. */
  module(module: string, at: number): string {
    let target = module;
    for (const rule of this.#rules) {
      if (rule.fromModule !== target || rule.fromName !== undefined) continue;
      if (rule.kind === "rename_import") target = rule.toModule;
      else this.#notes.push({ at, message: toldBy(rule) });
    }
    return target;
  }
}

const isOf = ({ fromModule, fromName }: Imported, { module, name }: Target): boolean =>
  fromModule === module && (fromName === undefined || fromName === name);

/**
 * The module that a declaration names after rules, when what it takes is in `targets`: the module
 * itself if a part is still there, or if nothing is taken by name.
 */
export const homeOf = (module: string, targets: readonly Target[]): string =>
  targets.length === 0 || targets.some((target) => target.module === module)
    ? module
    : (targets[0] as Target).module;
