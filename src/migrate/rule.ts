import type { FileMatch } from "./glob.js";
import type { Matches } from "./text-pattern.js";

interface RuleBase {
  /** "FILE, rule 3 (warn)", for messages. */
  readonly where: string;
  readonly files: FileMatch;
}

/** What an import names: a module, or one of its exports. */
export interface Imported {
  readonly fromModule: string;
  /** Undefined: the module and all its exports. */
  readonly fromName: string | undefined;
}

export interface TextReplace extends RuleBase {
  readonly kind: "text_replace";
  readonly matches: Matches;
  readonly replacement: string;
  /** The number of places in each file that has one; undefined: any. */
  readonly count: number | undefined;
}

interface RenameImport extends RuleBase, Imported {
  readonly kind: "rename_import";
  readonly toModule: string;
  readonly toName: string | undefined;
}

export interface Told {
  readonly message: string;
  readonly link: string | undefined;
}

export interface WarnText extends RuleBase, Told {
  readonly kind: "warn_text";
  readonly matches: Matches;
}

interface WarnImport extends RuleBase, Imported, Told {
  readonly kind: "warn_import";
}

export interface Dependency extends RuleBase {
  readonly kind: "dependency";
  readonly fromName: string;
  readonly toName: string;
  readonly version: string | undefined;
}

export interface ConfigKey extends RuleBase {
  readonly kind: "config_key";
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export type ImportRule = RenameImport | WarnImport;
export type Rule = TextReplace | ImportRule | WarnText | Dependency | ConfigKey;

export const isImportRule = (rule: Rule): rule is ImportRule =>
  rule.kind === "rename_import" || rule.kind === "warn_import";

/** A rule file is wrong, the versions do not connect, or rules undo one another: nothing was touched. */
export class MigrationError extends Error {}

/** A file is named and stays as it is. */
export class LeftAlone extends Error {}

/** What a rule tells of a place in a file. */
export interface Note {
  /** Offset in the text that the rule was given. */
  readonly at: number;
  readonly message: string;
}

/** A text after rules, and what they told of it. */
export interface Applied {
  readonly text: string;
  readonly notes: readonly Note[];
}

export const toldBy = ({ message, link }: Told): string =>
  link === undefined ? message : `${message} (${link})`;
