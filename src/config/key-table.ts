import { isDerived, otelNames, shown } from "./key.js";
import { keys, type NamedKey } from "./keys.js";

/** The keys as the Markdown table of docs/configuration.md. */
export function keyTable(): string {
  const rows = keys.map(
    (key) => `| \`${key.path}\` | ${defaultOf(key)} | ${key.expected} | ${variablesOf(key)} | ${key.doc} |`,
  );
  return ["| key | default | it is | variable | |", "|---|---|---|---|---|", ...rows, ""].join("\n");
}

function defaultOf({ default: given }: NamedKey): string {
  if (isDerived(given)) return given.words;
  return given === undefined ? "unset" : `\`${shown(given)}\``;
}

const variablesOf = (key: NamedKey): string =>
  [key.variable, ...otelNames(key)].map((name) => `\`${name}\``).join(", then ");
