// Changes as text for a terminal, and as Markdown for a pull request.

import { visible } from "#core/wire/visible-text.js";
import type { Area, Change, Direction } from "./change.js";

/** A mark for added, removed, or anything else. */
export const signOf = (direction: Direction): "+" | "-" | "~" =>
  direction === "added" ? "+" : direction === "removed" ? "-" : "~";

/** Areas that the text of a change does not name. */
const NAMED: ReadonlySet<Area> = new Set(["edge", "input", "output", "bus", "limit", "persistence"]);

/** "input narrowed: /qty: minimum 1, was no minimum". */
export function textOf({ area, direction, text }: Change): string {
  const isNamed = NAMED.has(area) || direction === "weakened" || direction === "strengthened";
  return visible(isNamed ? `${area} ${direction}: ${text}` : text);
}

export interface Group {
  readonly axon: string;
  readonly mounts: readonly string[];
  readonly changes: readonly Change[];
}

/** Grouped by Axon and mount, in the order of the comparison. */
export function grouped(changes: readonly Change[]): readonly Group[] {
  const groups = new Map<string, Group & { readonly changes: Change[] }>();
  for (const change of changes) {
    const { axon, mounts } = change;
    const id = JSON.stringify([axon, mounts]);
    const group = groups.get(id) ?? { axon, mounts, changes: [] };
    group.changes.push(change);
    groups.set(id, group);
  }
  return [...groups.values()];
}

export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** GitHub refuses a comment of 65 536 characters. */
const MAX_MARKDOWN = 60_000;

/** Contains no mentions, links or formats: all names are in code spans. */
export function markdownOf(changes: readonly Change[]): string {
  if (changes.length === 0) return "### Schematics: no change\n";
  let text = `### Schematics: ${counted(changes.length, "change")}\n`;
  let left = changes.length;
  for (const { axon, mounts, changes: inside } of grouped(changes)) {
    const head = `\n**${codeSpan(axon)}** (${mounts.map(codeSpan).join(", ")})\n\n| | node | change |\n|---|---|---|\n`;
    const rows = inside.map(
      (change) =>
        `| ${codeSpan(signOf(change.direction))} | ${change.node === undefined ? "" : codeSpan(change.node)} | ${codeSpan(textOf(change))} |\n`,
    );
    const group = head + rows.join("");
    if (text.length + group.length > MAX_MARKDOWN)
      return `${text}\nand ${left} more: \`framework schematic diff\` lists them all.\n`;
    text += group;
    left -= inside.length;
  }
  return text;
}

/** Contains no mention, link or format, and does not end its cell of a table. */
export const codeSpan = (text: string): string =>
  `\`${visible(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
