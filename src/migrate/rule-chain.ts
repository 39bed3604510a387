// Finds the rule files that lead from one version to another.

import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { MigrationError, type Rule } from "./rule.js";
import { type RuleFile, readRuleFile } from "./rule-file.js";
import { compareVersions, minorOf } from "./version.js";

/** The same place from src, from dist and from the compiled tests. */
const SHIPPED = fileURLToPath(new URL("../../src/migrate/rules", import.meta.url));

export interface Wanted {
  readonly from: string;
  readonly to: string;
  /** A rule file or a folder of them, in place of the rules of this package. */
  readonly rules: string | undefined;
}

export function rulesBetween({ from, to, rules }: Wanted, cwd: string): readonly Rule[] {
  const files = rules === undefined ? filesIn(SHIPPED, "") : givenFiles(resolve(cwd, rules), rules);
  const unversioned = files.filter((file) => file.from === undefined);
  if (files.length === 1 && unversioned.length === 1) return unversioned.flatMap((file) => file.rules);
  for (const { shown } of unversioned)
    throw new MigrationError(`${shown}: several files need \`from\` and \`to\` each, such as from = "0.29"`);
  return chain(minorOf(from), minorOf(to), files.map(linkOf)).flatMap((link) => link.file.rules);
}

function givenFiles(path: string, shown: string): readonly RuleFile[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) return [readRuleFile(path, shown)];
  const files = filesIn(path, shown);
  if (files.length === 0)
    throw new MigrationError(
      `the folder ${shown} has no file whose name ends in .toml; --rules names rule files`,
    );
  return files;
}

const filesIn = (folder: string, shown: string): readonly RuleFile[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".toml"))
    .sort()
    .map((name) => readRuleFile(join(folder, name), join(shown, name)));

interface Link {
  readonly from: string;
  readonly to: string;
  readonly file: RuleFile;
}

const linkOf = (file: RuleFile): Link => ({
  from: minorOf(file.from as string),
  to: minorOf(file.to as string),
  file,
});

/** The links of the fewest files that lead from one version to the other. */
function chain(from: string, to: string, links: readonly Link[]): readonly Link[] {
  if (from === to)
    throw new MigrationError(`both versions are ${from}: rules lead from one minor version to another`);
  const ways = new Map<string, readonly Link[]>([[from, []]]);
  // A Map gives its later entries to an iteration that has begun.
  for (const [version, way] of ways)
    for (const link of links)
      if (link.from === version && !ways.has(link.to)) ways.set(link.to, [...way, link]);
  const found = ways.get(to);
  if (found !== undefined) return found;
  throw new MigrationError(missing(from, to, [...ways.keys()], links));
}

function missing(from: string, to: string, reached: readonly string[], links: readonly Link[]): string {
  const leading = new Set([to]);
  for (const version of leading) for (const link of links) if (link.to === version) leading.add(link.from);
  const near = [...reached].sort(compareVersions).at(-1) as string;
  const far = [...leading].sort(compareVersions).find((version) => compareVersions(version, near) > 0) ?? to;
  const there = links.map((link) => `${link.from} to ${link.to}`).join(", ");
  return `no rules lead from ${from} to ${to}: the link from ${near} to ${far} is missing. There are rules from ${there}; give others by --rules`;
}
