import { stringify } from "smol-toml";

import { isDerived, otelNames } from "./key.js";
import { keys, type NamedKey, sections } from "./keys.js";

const HEAD = `# Settings of a server. Later layers win: defaults, this file, [profile.<name>] of this
# file where FRAMEWORK_PROFILE is that name, environment variables. Every key is here with
# its default, as a comment: take the # away to set it. docs/configuration.md has more.

# What one profile sets otherwise; also as a table [profile.staging.logging] at the end of the file.
# dev, test, prod and production need no table.
#profile.staging.logging.level = "debug"
`;

/** A framework.toml with every key, its documentation and its default, commented out. */
export function commentedToml(): string {
  const parts = Object.keys(sections).map((section) => {
    const own = keys.filter((key) => key.section === section);
    return `\n[${section}]\n${own.map(commented).join("\n")}`;
  });
  return `${HEAD}${parts.join("")}`;
}

function commented(key: NamedKey): string {
  const { default: given, doc, expected, example, name } = key;
  const derived = isDerived(given)
    ? `; default: ${given.words}`
    : given === undefined
      ? "; default: unset"
      : "";
  const variables = [key.variable, ...otelNames(key)].join(", ");
  const value = isDerived(given) || given === undefined ? example : given;
  return `# ${doc}\n# It is ${expected}${derived}. Variable: ${variables}\n#${asToml(name, value)}\n`;
}

function asToml(name: string, value: unknown): string {
  // An empty table is written as a header: it has no line to remove the # from.
  if (typeof value === "object" && !Array.isArray(value)) return `${name} = {}`;
  return stringify({ [name]: value }).trim();
}
