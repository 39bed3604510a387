// Changes dependencies in a package.json. All but their names and versions stays as it is written.

import { type Edit, withEdits } from "./edits.js";
import { type Applied, type Dependency, LeftAlone, type Note } from "./rule.js";
import { compareVersions, isVersion } from "./version.js";

const SECTIONS = new Set([
  ...["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"],
  "peerDependenciesMeta",
]);

interface Entry {
  readonly section: string;
  readonly name: string;
  readonly key: Token;
  /** Undefined for an object. */
  readonly value: Token | undefined;
}

export function changeDependency(text: string, rule: Dependency): Applied {
  const { fromName, toName, version } = rule;
  if (!text.includes(JSON.stringify(fromName))) return { text, notes: [] };
  try {
    JSON.parse(text);
  } catch (error) {
    throw new LeftAlone(`it is no JSON: ${(error as Error).message}`);
  }
  const entries = entriesOf(text);
  const edits: Edit[] = [];
  const notes: Note[] = [];
  for (const { section, name, key, value } of entries) {
    if (name !== fromName) continue;
    if (toName !== fromName) {
      if (entries.some((other) => other.section === section && other.name === toName))
        throw new LeftAlone(`its ${section} have both ${fromName} and ${toName}: remove one`);
      edits.push({ ...key, text: JSON.stringify(toName) });
    }
    if (version === undefined || value === undefined) continue;
    const present = JSON.parse(text.slice(value.start, value.end)) as string;
    const wanted = toName === fromName ? raised(present, version) : version;
    if (wanted !== undefined) edits.push({ ...value, text: JSON.stringify(wanted) });
    else if (!isAtLeast(present, version))
      notes.push({ at: value.start, message: `${fromName} is '${present}': see that it allows ${version}` });
  }
  return { text: withEdits(text, edits), notes };
}

const PLAIN = /^(\^|~|>=|=)? *(v?\d+(?:\.\d+){0,2}(?:-[\w.-]+)?)$/;

/** The version with the operator that was there; undefined where it is as new, or no plain version. */
function raised(present: string, version: string): string | undefined {
  const [, operator = "", old] = PLAIN.exec(present) ?? [];
  const [, own, wanted] = PLAIN.exec(version) ?? [];
  if (old === undefined || wanted === undefined || compareVersions(old, wanted) >= 0) return undefined;
  return own === undefined ? `${operator}${wanted}` : version;
}

function isAtLeast(present: string, version: string): boolean {
  const [old, wanted] = [PLAIN.exec(present)?.[2], PLAIN.exec(version)?.[2]];
  return isVersion(old) && isVersion(wanted) && compareVersions(old, wanted) >= 0;
}

interface Token {
  readonly start: number;
  readonly end: number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** What the sections have, two levels deep. The text is JSON. */
function entriesOf(text: string): readonly Entry[] {
  const entries: Entry[] = [];
  const path: string[] = [];
  let key: Token | undefined;
  let depth = 0;
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({
    token,
    start: index,
    end: index + token.length,
  }));
  tokens.forEach(({ token, start, end }, i) => {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (tokens[i + 1]?.token === ":" && token !== ":") {
      path[depth] = JSON.parse(token) as string;
      key = { start, end };
      const value = tokens[i + 2];
      const [section, name] = [path[1] ?? "", path[2] ?? ""];
      if (depth === 2 && SECTIONS.has(section))
        entries.push({
          section,
          name,
          key,
          value: value?.token.startsWith('"') ? { start: value.start, end: value.end } : undefined,
        });
    }
  });
  return entries;
}
