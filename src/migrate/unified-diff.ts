// A unified diff that `git apply` and `patch` read.

/** Lines around a change. */
const CONTEXT = 3;
/** Beyond so many changed lines in a row the diff shows them as replaced, and looks for none that stayed. */
const MAX_CHANGED = 2000;

/** Lines removed from `a` and added from `b`; those between two changes are the same. */
interface Change {
  readonly a: number;
  readonly removed: number;
  readonly b: number;
  readonly added: number;
}

export function unifiedDiff(path: string, before: string, after: string): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  const [from, to] = [headed("a/", path), headed("b/", path)];
  const hunks = hunksOf(changesOf(a, b)).map((changes) => hunk(changes, a, b));
  return `diff --git ${from} ${to}\n--- ${from}${tabbed(path)}\n+++ ${to}${tabbed(path)}\n${hunks.join("")}`;
}

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** As git writes names: in quotes where they have quotes or controls. */
const headed = (prefix: string, path: string): string =>
  /["\\\p{Cc}]/u.test(path) ? JSON.stringify(`${prefix}${path}`) : `${prefix}${path}`;

/** What follows a name with a space, so that `patch` sees its end. */
const tabbed = (path: string): string => (path.includes(" ") ? "\t" : "");

function hunksOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1);
    const previous = last?.at(-1);
    if (last && previous && change.a - (previous.a + previous.removed) <= 2 * CONTEXT) last.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function hunk(changes: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [changes[0] as Change, changes.at(-1) as Change];
  const before = Math.min(CONTEXT, first.a);
  const end = Math.min(a.length, last.a + last.removed + CONTEXT);
  const lines: string[] = [];
  let at = first.a - before;
  for (const change of changes) {
    lines.push(...a.slice(at, change.a).map((line) => ` ${line}`));
    lines.push(...a.slice(change.a, change.a + change.removed).map((line) => `-${line}`));
    lines.push(...b.slice(change.b, change.b + change.added).map((line) => `+${line}`));
    at = change.a + change.removed;
  }
  lines.push(...a.slice(at, end).map((line) => ` ${line}`));
  const count = end - first.a + before;
  const grown = changes.reduce((sum, { added, removed }) => sum + added - removed, 0);
  const head = `@@ -${range(first.a - before, count)} +${range(first.b - before, count + grown)} @@\n`;
  return (
    head +
    lines.map((line) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`)).join("")
  );
}

/** A range without lines is named by the line before it. */
const range = (start: number, count: number): string => {
  const first = count === 0 ? start : start + 1;
  return count === 1 ? `${first}` : `${first},${count}`;
};

function changesOf(a: readonly string[], b: readonly string[]): readonly Change[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const room = Math.min(a.length, b.length) - head;
  while (tail < room && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middle = shortest(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return middle.map((change) => ({ ...change, a: change.a + head, b: change.b + head }));
}

/** Myers: An O(ND) Difference Algorithm and Its Variations, 1986. */
function shortest(a: readonly string[], b: readonly string[]): readonly Change[] {
  const limit = Math.min(a.length + b.length, MAX_CHANGED);
  const middle = limit + 1;
  /** By diagonal: how far `d` changes reach in `a`. */
  const reach = new Int32Array(2 * limit + 3);
  const before: Int32Array[] = [];
  for (let d = 0; d <= limit; d += 1) {
    before.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x = isAdded(reach, middle + k, k, d) ? at(reach, middle + k + 1) : at(reach, middle + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return traced(before, a.length, b.length);
    }
  }
  return [{ a: 0, removed: a.length, b: 0, added: b.length }];
}

const at = (numbers: Int32Array, index: number): number => numbers[index] as number;

const isAdded = (reach: Int32Array, index: number, k: number, d: number): boolean =>
  k === -d || (k !== d && at(reach, index - 1) < at(reach, index + 1));

/** The changes on the way back from the ends of both texts. */
function traced(before: readonly Int32Array[], aLength: number, bLength: number): readonly Change[] {
  const changes: Change[] = [];
  let [x, y] = [aLength, bLength];
  for (let d = before.length - 1; d > 0; d -= 1) {
    const reach = before[d] as Int32Array;
    const index = x - y + d + 1;
    const isAddition = isAdded(reach, index, x - y, d);
    const k = x - y + (isAddition ? 1 : -1);
    x = at(reach, isAddition ? index + 1 : index - 1);
    y = x - k;
    const change = { a: x, removed: isAddition ? 0 : 1, b: y, added: isAddition ? 1 : 0 };
    const next = changes.at(-1);
    const isAdjacent = next && next.a === x + change.removed && next.b === y + change.added;
    if (!isAdjacent) changes.push(change);
    else
      changes[changes.length - 1] = {
        ...change,
        removed: change.removed + next.removed,
        added: change.added + next.added,
      };
  }
  return changes.reverse();
}
