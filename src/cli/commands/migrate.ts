import { visible } from "#core/wire/visible-text.js";
import { checkCommitted } from "#migrate/git-tree.js";
import { type FileChange, type Migration, plannedMigration } from "#migrate/migration.js";
import { MigrationError } from "#migrate/rule.js";
import { rulesBetween, type Wanted } from "#migrate/rule-chain.js";
import { sourceFiles } from "#migrate/source-files.js";
import { unifiedDiff } from "#migrate/unified-diff.js";
import { compareVersions, isVersion } from "#migrate/version.js";
import { writeWhole } from "#migrate/written-file.js";
import { type Colour, type Painter, painter } from "../terminal/colour.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";

export async function migrate(given: Given, surroundings: Surroundings): Promise<number> {
  const wanted = wantedOf(given);
  try {
    return await migrated(wanted, given, surroundings);
  } catch (error) {
    throw error instanceof MigrationError ? new CommandError(error.message) : error;
  }
}

function wantedOf(given: Given): Wanted {
  const [from, to] = ["from", "to"].map((option) => {
    const version = given.text(option);
    if (version === undefined)
      throw new UsageError(`--${option} is missing: framework migrate --from 0.29 --to 0.30`);
    if (!isVersion(version))
      throw new UsageError(`--${option} is a version such as 0.30, not '${visible(version)}'`);
    return version;
  }) as [string, string];
  if (compareVersions(from, to) >= 0)
    throw new UsageError(`--to ${to} is not later than --from ${from}: rules lead to later versions`);
  return { from, to, rules: given.text("rules") };
}

async function migrated(wanted: Wanted, given: Given, surroundings: Surroundings): Promise<number> {
  const cwd = process.cwd();
  const rules = rulesBetween(wanted, cwd);
  const progress = progressLine(surroundings);
  const files = sourceFiles(cwd, given.operands.length > 0 ? given.operands : ["."]);
  const migration = await plannedMigration(files, rules, (done) =>
    progress.show(`${done} of ${files.length} files`),
  ).finally(() => progress.end());
  const isDry = given.flag("dry-run");
  if (!isDry && !given.flag("force")) checkCommitted(migration.changes.map(({ file }) => file.path));
  const unwritten = isDry ? [] : written(migration.changes, surroundings);
  if (isDry) printDiff(migration.changes, surroundings);
  // Rules of the package are for files that not every project has.
  tell(migration, unwritten, wanted.rules !== undefined, surroundings);
  const changed = migration.changes.length - unwritten.length;
  const stayed = migration.stayed.length + unwritten.length;
  const summary = `${counted(files.length, "file")} read, ${changed} ${isDry ? "would change" : "changed"}${stayed > 0 ? `, ${stayed} left alone` : ""}\n`;
  // Only the diff is on stdout: `git apply` reads it.
  (isDry ? surroundings.err : surroundings.out)(summary);
  return stayed > 0 || (isDry && changed > 0) ? 1 : 0;
}

interface Unwritten {
  readonly change: FileChange;
  readonly reason: string;
}

function written(changes: readonly FileChange[], { out }: Surroundings): readonly Unwritten[] {
  const unwritten: Unwritten[] = [];
  for (const change of changes) {
    try {
      writeWhole(change.file.path, change.after);
      out(`changed ${visible(change.file.shown)}\n`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      unwritten.push({ change, reason: `it could not be written (${code})` });
    }
  }
  return unwritten;
}

function printDiff(changes: readonly FileChange[], surroundings: Surroundings): void {
  const paint = painter(surroundings);
  for (const { file, before, after } of changes) {
    const lines = unifiedDiff(file.shown, before, after).split(/(?<=\n)/);
    surroundings.out(lines.map((line) => painted(line, paint, surroundings.hasColour === true)).join(""));
  }
}

function painted(line: string, paint: Painter, isShown: boolean): string {
  const [text, end] = line.endsWith("\n") ? [line.slice(0, -1), "\n"] : [line, ""];
  // On a terminal control characters of a file are escaped. Elsewhere the diff is exact.
  const plain = isShown ? visible(text.replace(/\r$/, "")).replaceAll("\\t", "\t") : text;
  const colour = COLOURS.find(([start]) => text.startsWith(start))?.[1];
  return `${colour === undefined ? plain : paint(colour, plain)}${end}`;
}

const COLOURS: readonly (readonly [string, Colour])[] = [
  ["diff ", "bold"],
  ["--- ", "bold"],
  ["+++ ", "bold"],
  ["@@", "cyan"],
  ["+", "green"],
  ["-", "red"],
];

function tell(
  { warnings, stayed, unused }: Migration,
  unwritten: readonly Unwritten[],
  isOwn: boolean,
  { err }: Surroundings,
): void {
  for (const { file, line, column, message } of warnings)
    err(`${visible(file.shown)}:${line}:${column}: warning: ${visible(message)}\n`);
  for (const { file, reason } of stayed) err(`${visible(file.shown)}: left alone: ${visible(reason)}\n`);
  for (const { change, reason } of unwritten) err(`${visible(change.file.shown)}: left alone: ${reason}\n`);
  for (const { where, files } of isOwn ? unused : [])
    err(`${where}: no file matches ${files.globs?.join(", ")}\n`);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
