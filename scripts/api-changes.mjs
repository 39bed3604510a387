// Which line of the changelog a change of the public types in docs/api requires.

/** The committed form of a report: without lines that no program depends on. */
export const plainReport = (text) =>
  text
    .split("\n")
    .filter(
      (line) =>
        !/^ *\/\/(?:\/ <reference| (?:@public|\(undocumented\)|\(No @packageDocumentation))/.test(line),
    )
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");

/**
 * The public lines that are gone or changed, and those that are new: "Declaration: line". A line
 * that differs only by further optional parameters is new.
 */
export function apiChanges(before, after) {
  const [old, next] = [publicLines(before), publicLines(after)];
  const added = [...next].filter((line) => !old.has(line));
  const gone = [...old].filter(
    (line) => !next.has(line) && !added.some((longer) => addsOptional(longer, line)),
  );
  return { gone, added };
}

const OPTIONAL = /(?:(?<=\()|, )\w+\?: [^,()]+(?=[,)])/g;

const addsOptional = (longer, line) =>
  longer.replace(OPTIONAL, (parameter) => (line.includes(parameter) ? parameter : "")) === line;

/** Each with the head of its declaration: members of different declarations may have the same text. */
function publicLines(report) {
  const lines = new Set();
  let declaration = "";
  for (const line of report.split("\n")) {
    if (!/^(?:export|declare| )/.test(line) || /^ *(?:\/\/|[\])}]+;?$)/.test(line)) continue;
    // A name used for two declarations is numbered in the order of the report.
    const text = line.trim().replace(/(?<=\w)_\d+\b/g, "");
    if (!line.startsWith(" ")) declaration = text;
    lines.add(line.startsWith(" ") ? `${declaration}: ${text}` : text);
  }
  return lines;
}

/** Why the changelog does not cover the changes; undefined if it does. */
export function uncovered({ gone, added }, changelogBefore, changelogAfter) {
  const known = new Set(changelogBefore.split("\n"));
  const kinds = new Set(
    changelogAfter
      .split("\n")
      .filter((line) => !known.has(line))
      .map((line) => /^- (breaking|added|changed|fixed): /.exec(line)?.[1]),
  );
  if (gone.length > 0 && !kinds.has("breaking")) return "breaking:";
  kinds.delete(undefined);
  return gone.length + added.length > 0 && kinds.size === 0
    ? "added:, changed:, fixed: or breaking:"
    : undefined;
}
