// Applies rules to files, in memory. Nothing is written here.
//
//   MG5. The rules change nothing in their own result, or nothing is migrated at all.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { renameConfigKey } from "./config-key.js";
import { changeDependency } from "./dependency.js";
import { renameImports } from "./rename-imports.js";
import { type Applied, isImportRule, LeftAlone, MigrationError, type Rule } from "./rule.js";
import type { SourceFile } from "./source-files.js";
import { loadSyntax, type Syntax } from "./syntax.js";
import { placeIn, type TextPlace } from "./text-place.js";
import { replaceText, warnOfText } from "./text-replace.js";

export interface FileChange {
  readonly file: SourceFile;
  readonly before: string;
  readonly after: string;
}

interface Warning extends TextPlace {
  readonly file: SourceFile;
  readonly message: string;
}

export interface Migration {
  readonly changes: readonly FileChange[];
  readonly warnings: readonly Warning[];
  /** Files that stay as they are, and why. */
  readonly stayed: readonly { readonly file: SourceFile; readonly reason: string }[];
  /** Rules whose `files` match no file. */
  readonly unused: readonly Rule[];
}

export async function plannedMigration(
  files: readonly SourceFile[],
  rules: readonly Rule[],
  onFile: (done: number) => void,
): Promise<Migration> {
  const syntax = rules.some(isImportRule) ? await loadSyntax() : undefined;
  const used = new Set<Rule>();
  const plan = {
    changes: [] as FileChange[],
    warnings: [] as Warning[],
    stayed: [] as Migration["stayed"][number][],
  };
  files.forEach((file, i) => {
    onFile(i);
    const own = rules.filter((rule) => rule.files.test(file.matched));
    for (const rule of own) used.add(rule);
    if (own.length === 0) return;
    try {
      const before = readText(file.path);
      if (before === undefined) return;
      const { text: after, warnings } = migrated(file, before, own, syntax);
      if (after !== before) plan.changes.push({ file, before, after });
      plan.warnings.push(...warnings);
    } catch (error) {
      if (error instanceof MigrationError) throw error;
      plan.stayed.push({ file, reason: reasonOf(error) });
    }
  });
  const unused = rules.filter((rule) => rule.files.globs !== undefined && !used.has(rule));
  return { ...plan, unused };
}

function reasonOf(error: unknown): string {
  if (error instanceof LeftAlone) return error.message;
  if (error instanceof RangeError) return "it is nested too deeply";
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : `it could not be read (${code})`;
}

const SOURCE = /\.[cm]?[jt]sx?$/;

/** Undefined for a binary file, which a wide glob matches. */
function readText(path: string): string | undefined {
  const bytes = readFileSync(path);
  if (bytes.includes(0) && !SOURCE.test(path)) return undefined;
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

interface Migrated {
  readonly text: string;
  readonly warnings: readonly Warning[];
}

function migrated(
  file: SourceFile,
  text: string,
  rules: readonly Rule[],
  syntax: Syntax | undefined,
): Migrated {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text.slice(mark.length);
  const result = applied(file, body, rules, syntax);
  if (result.text !== body) checkOnce(file, result.text, rules, syntax);
  return { ...result, text: mark + result.text };
}

function applied(
  file: SourceFile,
  text: string,
  rules: readonly Rule[],
  syntax: Syntax | undefined,
): Migrated {
  let result = text;
  const warnings: Warning[] = [];
  for (const stage of stagesOf(rules)) {
    const { text: after, notes } = applyStage(file, result, stage, syntax);
    for (const { at, message } of notes) warnings.push({ file, message, ...placeIn(result, at) });
    result = after;
  }
  return { text: result, warnings };
}

/** Rules of imports in a row are one stage: a source is parsed once for all of them. */
function stagesOf(rules: readonly Rule[]): readonly (readonly Rule[])[] {
  const stages: Rule[][] = [];
  for (const rule of rules) {
    const last = stages.at(-1);
    if (isImportRule(rule) && last?.[0] !== undefined && isImportRule(last[0])) last.push(rule);
    else stages.push([rule]);
  }
  return stages;
}

function applyStage(
  file: SourceFile,
  text: string,
  stage: readonly Rule[],
  syntax: Syntax | undefined,
): Applied {
  const [rule] = stage as readonly [Rule];
  switch (rule.kind) {
    case "text_replace":
      return replaceText(text, rule);
    case "warn_text":
      return warnOfText(text, rule);
    case "dependency":
      return changeDependency(text, rule);
    case "config_key":
      return renameConfigKey(text, rule);
    default:
      if (syntax === undefined || !SOURCE.test(basename(file.path))) return { text, notes: [] };
      return renameImports(file.path, text, stage.filter(isImportRule), syntax);
  }
}

function checkOnce(file: SourceFile, text: string, all: readonly Rule[], syntax: Syntax | undefined): void {
  const rules = all.filter(({ kind }) => kind !== "warn_text" && kind !== "warn_import");
  const again = applied(file, text, rules, syntax).text;
  if (again === text) return;
  const rule = rules.find((one) => applied(file, text, [one], syntax).text !== text);
  let at = 0;
  while (at < text.length && text[at] === again[at]) at += 1;
  const [once, twice] = [text, again].map((one) =>
    one
      .slice(one.lastIndexOf("\n", at - 1) + 1)
      .split("\n")[0]
      ?.trim(),
  );
  throw new MigrationError(
    `${rule?.where ?? "the rules"}: a second run would change ${file.shown} again, '${once}' to '${twice}': the rule matches what rules have written. Make it match only what is old; where two versions use one name, migrate to each in turn`,
  );
}
