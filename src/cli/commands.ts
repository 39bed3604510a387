import { auditCommands } from "./audit-commands.js";
import { benchCommands } from "./bench-commands.js";
import { complianceCommands } from "./compliance-commands.js";
import { devCommands } from "./dev-commands.js";
import { migrateCommands } from "./migrate-commands.js";
import { newCommands } from "./new-commands.js";
import { replayCommands } from "./replay-commands.js";
import { runsCheckCommands } from "./runs-check-commands.js";
import { runsCommands } from "./runs-commands.js";
import { schematicCommands } from "./schematic-commands.js";
import type { Command } from "./terminal/command.js";

/** Commands are loaded on demand: `--help` loads none of them. */
export const commands: readonly Command[] = [
  {
    name: "completion",
    summary: "completion of commands and options for bash",
    help: `framework completion bash

Prints a script for bash that completes the commands and their options:

  source <(framework completion bash)
  framework completion bash > ~/.local/share/bash-completion/completions/framework
`,
    options: {},
    operands: 1,
    run: async (given, surroundings) =>
      (await import("./completion.js")).completion(commands, given, surroundings),
  },
  {
    name: "config explain",
    summary: "each value of the configuration, and where it comes from",
    help: `framework config explain [--file FILE] [--json]

Prints each key's effective value and the layer it came from: default, framework.toml, its
profile, a variable. Secrets are redacted. Where the configuration has mistakes, it prints
them all and exits with 1.

  framework config explain
  FRAMEWORK_PROFILE=staging framework config explain --json

  --file FILE   this file, instead of the nearest framework.toml upwards
  --json        for programs
`,
    options: { file: { type: "string" }, json: { type: "boolean" } },
    operands: 0,
    run: async (given, surroundings) =>
      (await import("./commands/config-explain.js")).configExplain(given, surroundings),
  },
  {
    name: "doctor",
    summary: "whether a server can run here, and what to do where it cannot",
    help: `framework doctor [--file FILE] [--json]

Checks Node.js, the native server and its sha256, the C library, the clock, the configuration, the
limit of open files, the ports of the server and the Inspector, the stores, Redis, and certificates
with their dates. Prints a line for each, and the remedy where something is wrong. Changes nothing.

  framework doctor
  FRAMEWORK_PROFILE=production framework doctor --json

Exits with 0 where nothing is wrong, 1 where something is.

  --file FILE   this configuration, instead of the nearest framework.toml upwards
  --json        for programs
`,
    options: { file: { type: "string" }, json: { type: "boolean" } },
    operands: 0,
    run: async (given, surroundings) => (await import("./commands/doctor.js")).doctor(given, surroundings),
  },
  {
    name: "explain",
    summary: "what a request to an application meets, and what refuses it",
    help: `framework explain MODULE METHOD PATH [--as ROLE] [--header LINE] [--body TEXT] [--json]

Prints the layers, guards, policies, limits, input and steps that a request meets, in their order,
what each may respond with, and which of them refuses this request. No guard and no step runs:
policies, required headers, media types and the input are decided as they are declared. Whatever
needs a run, a rate limit or the signature of a token, is said to be undecided.

  framework explain src/app.ts GET "/orders/17?full=true"
  framework explain src/app.ts POST /orders --as clerk --header "content-type: application/json" --body '{"sku":"tea"}'

Exits with 0 where nothing that is declared refuses the request, 1 where something does or no
route serves it. MODULE as for framework routes.

  --as ROLE       a verified identity with this role; several with commas. Default: no identity
  --header LINE   a header, "name: value"; may be repeated
  --body TEXT     the body; without one the input is not decided where it reads a body
  --export NAME   the export that is the ingress
  --json          for programs
`,
    options: {
      as: { type: "string" },
      header: { type: "string", multiple: true },
      body: { type: "string" },
      export: { type: "string" },
      json: { type: "boolean" },
    },
    operands: 3,
    run: async (given, surroundings) =>
      (await import("./commands/explain.js")).explainRoute(given, surroundings),
  },
  {
    name: "fuzz",
    summary: "requests drawn from an application's schemas",
    help: `framework fuzz MODULE [--route R] [--seed S] [--runs N] [--as NAME] [--slow-ms MS]
                      [--out FILE]

Sends drawn requests to each route of the module's ingress, in a process of its own: valid
ones, ones at a bound of a schema or right beyond it, ones with constants of the schemas and
steps, long texts, and malformed ones. A failure is a 5xx that is not declared, a response that
differs from its declared schema, a slow one, a step that blocks the event loop, or a caller
that is let in where the policy demands another. The requests of each failure are made few and
plain, and written as a test file.

The module exports the ingress as for framework routes; a function resources() that returns
the values of its resources, best fakes; and identities:

  export const identities = {
    clerk: { roles: ["clerk"], headers: { authorization: "Bearer ..." } },
  };

Nothing is sent where the profile is production or a store is not in memory.

  framework fuzz src/app.ts
  framework fuzz src/app.ts --route "POST /orders" --seed 7 --runs 1000

Exits with 0 where nothing was found, 1 where something was, 2 where nothing was sent.

  --route R         one route, "POST /orders", or all of a path, /orders
  --seed S          the same requests again; printed at the end of each run
  --runs N          requests to each route; default 100
  --as NAME         one identity, or nobody; default each of them, and nobody
  --slow-ms MS      a later response is a failure; default 2000, 0 for none
  --out FILE        the test file; default fuzz-SEED.test.mjs
  --allow-effects   in production, and with any store
`,
    options: {
      route: { type: "string" },
      seed: { type: "string" },
      runs: { type: "string" },
      as: { type: "string" },
      "slow-ms": { type: "string" },
      out: { type: "string" },
      "allow-effects": { type: "boolean" },
    },
    operands: 1,
    run: async (given, surroundings) => (await import("./commands/fuzz.js")).fuzz(given, surroundings),
  },
  {
    name: "openapi check",
    summary: "what an application's routes break of a document that clients have",
    help: `framework openapi check MODULE FILE [--export NAME] [--path PATH]

Compares the document of the application's routes with a committed one, FILE, in JSON or
YAML, and prints a line for each thing that breaks its clients: a route, a parameter's type, a
field or a response that is gone or narrower, a body or a role that is asked for now.

  framework openapi check src/app.ts openapi.json

Exits with 0 where nothing breaks, whatever is new, 1 where something does, 2 where FILE cannot
be read. MODULE as for openapi export.

  --export NAME   the export that is the ingress
  --path PATH     of several documents the one that is served here
`,
    options: { export: { type: "string" }, path: { type: "string" } },
    operands: 2,
    run: async (given, surroundings) =>
      (await import("./commands/openapi.js")).openapiCheck(given, surroundings),
  },
  {
    name: "openapi export",
    summary: "the OpenAPI document of an application's routes",
    help: `framework openapi export MODULE [--out FILE] [--export NAME] [--path PATH] [--format FORMAT] [--internals]

Imports the application's module, as framework routes does, and prints the OpenAPI 3.1 document
of its routes: as openapi() would serve it, or with a title of its own where the application
serves none. The same program gives the same bytes.

  framework openapi export src/app.ts --out openapi.json

  --out FILE        writes this file; one that ends in .yaml or .yml is YAML
  --format FORMAT   json or yaml, in place of what the name of the file says
  --export NAME     the export that is the ingress
  --path PATH       of several documents the one that is served here
  --internals       names Axons and steps, whatever openapi() says

For YAML: npm install yaml
`,
    options: {
      out: { type: "string" },
      format: { type: "string" },
      export: { type: "string" },
      path: { type: "string" },
      internals: { type: "boolean" },
    },
    operands: 1,
    run: async (given, surroundings) =>
      (await import("./commands/openapi.js")).openapiExport(given, surroundings),
  },
  {
    name: "routes",
    summary: "what an application's ingress serves",
    help: `framework routes MODULE [--export NAME] [--json]

Imports the application's module and prints a line for each route: method, path, Axon,
guards, input. Nothing listens: the module exports the ingress as default, \`ingress\` or
\`app\`, or a function that makes it from no arguments or from {}. Another module calls run().

A module in TypeScript is read by the tsx that is installed beside it: npm install --save-dev tsx

  framework routes src/app.ts

  --export NAME   the export that is the ingress
  --json          for programs
`,
    options: { export: { type: "string" }, json: { type: "boolean" } },
    operands: 1,
    run: async (given, surroundings) => (await import("./commands/routes.js")).routes(given, surroundings),
  },
  {
    name: "status",
    summary: "versions of the package, or the state of a running server",
    help: `framework status [URL] [--json]

Without a URL: the versions of the package, its parts and what it writes, and the native server.
With the URL of an Inspector: that of its server too, the profile in force, what is mounted, and
how full the Inspector's stores are. The token is FRAMEWORK_INSPECTOR_BEARER_TOKEN or
FRAMEWORK_INSPECTOR_VIEWER_TOKEN of the environment: other users of the machine see the command line.

  framework status
  framework status http://127.0.0.1:3001 --json

Exits with 0, or 2 where no Inspector responds.

  --json   for programs: what GET /status has
`,
    options: { json: { type: "boolean" } },
    operands: 1,
    run: async (given, surroundings) => (await import("./commands/status.js")).status(given, surroundings),
  },
  {
    name: "store check",
    summary: "whether the tables of a store are those of this release, and Redis is fit",
    help: `framework store check [URL] [--file FILE]

Prints the version of the tables and that of this release, and changes nothing. URL is that
of a store, such as sqlite:.framework/app.db or postgres://app@db.example/shop; without one
it is persistence.url of the configuration, and redis.url is asked too: whether it is new enough, a
master, and evicts nothing. A URL with a password is better kept in FRAMEWORK_PERSISTENCE_URL or
FRAMEWORK_REDIS_URL: other users of the machine see the command line.

  framework store check sqlite:.framework/app.db

Exits with 0 where the versions agree, 1 where a migration is needed or the tables are newer,
2 where the store cannot be asked.

  --file FILE   this file, instead of the nearest framework.toml upwards
`,
    options: { file: { type: "string" } },
    operands: 1,
    run: async (given, surroundings) => (await import("./commands/store.js")).storeCheck(given, surroundings),
  },
  {
    name: "store migrate",
    summary: "brings the tables of a store to this release",
    help: `framework store migrate [URL] [--file FILE]

Applies the migrations that are missing, in one transaction, whatever persistence.auto_migrate
says, and prints what it did. Where nothing is missing it does nothing. URL as for store check.

  framework store migrate postgres://shop@db.example/shop

Exits with 0 where the tables are those of this release now, 1 where they are newer, 2 where
the store cannot be asked or a migration failed.

  --file FILE   this file, instead of the nearest framework.toml upwards
`,
    options: { file: { type: "string" } },
    operands: 1,
    run: async (given, surroundings) =>
      (await import("./commands/store.js")).storeMigrate(given, surroundings),
  },
  {
    name: "store compact",
    summary: "gives the room of deleted rows of a store back",
    help: `framework store compact [URL] [--file FILE]

Rewrites the tables without deleted and replaced rows; other statements wait meanwhile. Rows that
are deleted leave room for new ones: a store that forgets runs needs this only to give room back
to the disk. URL as for store check.

  framework store compact sqlite:.framework/app.db

Exits with 0 where that is done, 1 where old texts are left, which it says, 2 where the store
cannot be asked.

  --file FILE   this file, instead of the nearest framework.toml upwards
`,
    options: { file: { type: "string" } },
    operands: 1,
    run: async (given, surroundings) =>
      (await import("./commands/store.js")).storeCompact(given, surroundings),
  },
  {
    name: "store encrypt",
    summary: "encrypts what a store keeps, under the current key",
    help: `framework store encrypt [URL] [--keys FILE] [--compact] [--file FILE]

Rewrites rows that are plain or under an older key to the current key, while the store is in use,
then prints how many rows each key has. After it was ended it is started again: rows that are done
are skipped. A row that cannot be decoded is named by table and key, and left. URL as for store check.

To replace a key: put the new one behind the current one in the keys of every process, then before
it, then run this; remove the old key once no row uses it and every process has the new one.

  framework store encrypt postgres://shop@db.example/shop --keys /etc/shop/master-keys

Exits with 0 where all rows are under the current key, 1 where rows are left, 2 where the store
cannot be asked.

  --keys FILE   master keys, or env:VARIABLE; default persistence.encryption_keys
  --compact     rewrites the tables without the old texts; others wait meanwhile
  --file FILE   this file, instead of the nearest framework.toml upwards
`,
    options: { keys: { type: "string" }, compact: { type: "boolean" }, file: { type: "string" } },
    operands: 1,
    run: async (given, surroundings) =>
      (await import("./commands/store.js")).storeEncrypt(given, surroundings),
  },
  ...auditCommands,
  ...benchCommands,
  ...complianceCommands,
  ...devCommands,
  ...newCommands,
  ...migrateCommands,
  ...replayCommands,
  ...runsCheckCommands,
  ...runsCommands,
  ...schematicCommands,
];
