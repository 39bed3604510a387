import { invalidOption } from "#core/invalid-option.js";
import { TABLE_NAMES, type Tables } from "./sql-database.js";

const NAME = /^[a-z_][a-z0-9_]{0,40}$/;

/** A schema or prefix stands in SQL as it is: lower-case letters, digits and "_" only. */
function requireSqlName(option: string, name: string): void {
  if (!NAME.test(name))
    throw invalidOption(
      `openStores: ${option} '${name}'`,
      "use 1 to 41 lower-case letters, digits and underscores, not a digit first",
    );
}

/** Tables in `schema` whose names begin with `prefix`. */
export function tablesOf({ schema, prefix }: { readonly schema?: string; readonly prefix?: string }): Tables {
  if (schema !== undefined) requireSqlName("schema", schema);
  if (prefix !== undefined && prefix !== "") requireSqlName("prefix", prefix);
  const named = (name: string): string =>
    `${schema === undefined ? "" : `"${schema}".`}"${prefix ?? ""}${name}"`;
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, named(name)])) as Tables;
}
