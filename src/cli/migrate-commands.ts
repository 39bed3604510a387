import type { Command } from "./terminal/command.js";

export const migrateCommands: readonly Command[] = [
  {
    name: "migrate",
    summary: "sources, package.json and framework.toml to another version",
    help: `framework migrate --from VERSION --to VERSION [--dry-run] [--rules FILE] [--force] [PATH...]

Changes the files below PATH, the working directory by default, by rules: imports that were
renamed, texts, dependencies of package.json, keys of framework.toml. What no rule can change
is printed as a warning. node_modules, .git and what .gitignore names are left out.

  framework migrate --from 0.29 --to 0.30 --dry-run
  framework migrate --from 0.29 --to 0.30
  framework migrate --from 1.0 --to 2.0 --rules rules/ src

A second run changes nothing. Nothing is changed where a rule file is wrong, or where files of
the git repository are not committed.

Exits with 0 where it is done; 1 where a file was left alone, since it does not parse, say, or
where --dry-run would change something; 2 where nothing was migrated.

  --from VERSION   the version that the files were written for
  --to VERSION     the version that they are to be for
  --dry-run        prints the changes as a unified diff, and makes none
  --rules FILE     this rule file, or all of this folder, in place of the package's own
  --force          also where changes are not committed

For rules of imports: npm install --save-dev oxc-parser magic-string
`,
    options: {
      from: { type: "string" },
      to: { type: "string" },
      "dry-run": { type: "boolean" },
      rules: { type: "string" },
      force: { type: "boolean" },
    },
    operands: Number.POSITIVE_INFINITY,
    run: async (given, surroundings) => (await import("./commands/migrate.js")).migrate(given, surroundings),
  },
];
