import { templateList } from "./commands/templates.js";
import type { Command } from "./terminal/command.js";

export const newCommands: readonly Command[] = [
  {
    name: "new",
    summary: "a new project, from a template of the package",
    help: `framework new NAME --template TEMPLATE [--dir FOLDER] [--framework SPEC]

Writes a project in TypeScript, with its tests, and prints what to type next. Nothing is
downloaded, and nothing outside the folder is changed.

  --template TEMPLATE
${templateList}  --dir FOLDER      where; default NAME, and of @scope/name the name. Must be empty or missing
  --framework SPEC  what package.json depends on, in place of the version of this package: a
                    version, or the path of a tarball or a folder

Exits with 0, 2 where the name, the template or the folder cannot be used.

  framework new shop --template api
  framework new @acme/shop --template worker --dir services/shop
  framework new shop --template api --framework ../framework-0.30.0.tgz
`,
    options: { template: { type: "string" }, dir: { type: "string" }, framework: { type: "string" } },
    operands: 1,
    run: async (given, surroundings) => (await import("./commands/new.js")).newProject(given, surroundings),
  },
];
