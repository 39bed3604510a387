import type { Command } from "./command.js";

/** Each is loaded when it is run: `--help` waits for none of them. */
export const commands: readonly Command[] = [
  {
    name: "config explain",
    summary: "each value of the configuration, and where it comes from",
    help: `framework config explain [--file FILE] [--json]

Prints each key's effective value and the layer it came from: default, framework.toml, its
profile, a variable. Secrets are redacted. Where the configuration has mistakes, it prints
them all and exits with 1.

  --file FILE   this file, instead of the nearest framework.toml upwards
  --json        for programs
`,
    options: { file: { type: "string" }, json: { type: "boolean" } },
    operands: 0,
    run: async (given, surroundings) =>
      (await import("./config-explain.js")).configExplain(given, surroundings),
  },
  {
    name: "routes",
    summary: "what an application's ingress serves",
    help: `framework routes MODULE [--export NAME] [--json]

Imports the application's module and prints a line for each route: method, path, Axon,
guards, input. Nothing listens: the module exports the ingress as default, \`ingress\` or
\`app\`, or a function that makes it and needs no arguments. Another module calls run().

For a module in TypeScript, load what reads it:

  NODE_OPTIONS="--import tsx" npx framework routes src/app.ts

  --export NAME   the export that is the ingress
  --json          for programs
`,
    options: { export: { type: "string" }, json: { type: "boolean" } },
    operands: 1,
    run: async (given, surroundings) => (await import("./routes.js")).routes(given, surroundings),
  },
  {
    name: "store check",
    summary: "whether the tables of a store are those of this release",
    help: `framework store check [URL] [--file FILE]

Prints the version of the tables and that of this release, and changes nothing. URL is that
of a store, such as sqlite:.framework/app.db or postgres://app@db.example/shop; without one
it is persistence.url of the configuration. A URL with a password is better kept in
FRAMEWORK_PERSISTENCE_URL: other users of the machine see the command line.

Exits with 0 where the versions agree, 1 where a migration is needed or the tables are newer,
2 where the store cannot be asked.

  --file FILE   this file, instead of the nearest framework.toml upwards
`,
    options: { file: { type: "string" } },
    operands: 1,
    run: async (given, surroundings) => (await import("./store.js")).storeCheck(given, surroundings),
  },
  {
    name: "store migrate",
    summary: "brings the tables of a store to this release",
    help: `framework store migrate [URL] [--file FILE]

Applies the migrations that are missing, in one transaction, whatever persistence.auto_migrate
says, and prints what it did. Where nothing is missing it does nothing. URL as for store check.

Exits with 0 where the tables are those of this release now, 1 where they are newer, 2 where
the store cannot be asked or a migration failed.

  --file FILE   this file, instead of the nearest framework.toml upwards
`,
    options: { file: { type: "string" } },
    operands: 1,
    run: async (given, surroundings) => (await import("./store.js")).storeMigrate(given, surroundings),
  },
];
