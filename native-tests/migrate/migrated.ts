import { join } from "node:path";

import { type Migration, plannedMigration } from "#migrate/migration.js";
import type { Rule } from "#migrate/rule.js";
import { readRuleFile } from "#migrate/rule-file.js";
import { sourceFiles } from "#migrate/source-files.js";
import { folderWith } from "../support/config-folder.js";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Rules in TOML. */
export const rulesIn = (toml: string): readonly Rule[] =>
  readRuleFile(join(folderWith({ "rules.toml": toml }), "rules.toml"), "rules.toml").rules;

/** What rules make of files in a folder of their own. */
export const planned = (toml: string, files: Files): Promise<Migration> =>
  plannedMigration(sourceFiles(folderWith(files), ["."]), rulesIn(toml), () => {});

/** The text of one file after rules, also where it is as before. */
export async function after(toml: string, text: string, file = "a.ts"): Promise<string> {
  const { changes, stayed } = await planned(toml, { [file]: text });
  const [left] = stayed;
  if (left !== undefined) throw new Error(left.reason);
  return changes[0]?.after ?? text;
}
