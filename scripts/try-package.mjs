// Installs the packed package into an empty project, sends requests to a small server
// there, checks the links of its pages, and creates a project from each template.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { compileEntries } from "./compiled-entries.mjs";
import { brokenLinks } from "./package-links.mjs";
import { tryTemplates } from "./package-templates.mjs";

const SERVER = `
import { Axon, Framework, Type, workerModule, workerTransition } from "framework";
// None loads fast-check, tinybench, libsql or pg.
import "framework/bench";
import "framework/fuzz";
import "framework/store";
import "framework/testing/contracts";

const Greeting = Type.Object({ name: Type.String({ minLength: 1 }) });
const work = workerModule(new URL("./work.js", import.meta.url));
const greet = Axon.start("greet", Greeting)
  .offload(workerTransition({ name: "greet", module: work, export: "greet" }));

const server = await Framework.http()
  .bind("127.0.0.1:0")
  .post("/greet", greet)
  .openapi("/openapi.json")
  .docs("/docs", { guards: [] })
  .run();
console.log("listening " + server.address);
`;

/** Runs in a thread, whose entry is a file of its own in the package. */
const WORK = "export const greet = ({ name }) => ({ hello: name });\n";

// In a type that a JavaScript engine does not read.
const TYPED = `export const app: unknown = undefined;\n`;
const APP = `
import { Axon, Framework } from "framework";

export const ingress = Framework.http().get("/greet", Axon.start("greet").thenFn("greet", () => "hello"));
`;

const BENCH = `
import { bench } from "framework/bench";
export { ingress } from "./app.js";
bench.route("GET /greet");
`;

const RUN_BENCH = `
import { bench } from "framework/bench";
bench("nothing", () => {});
`;

/** The command as it was installed. */
function tryCommand(project, expected) {
  const framework = (...args) => {
    const { status, stdout, stderr } = spawnSync("npx", ["--no-install", "framework", ...args], {
      cwd: project,
      encoding: "utf8",
    });
    return `${status} ${stdout}${stderr}`;
  };
  for (const [args, pattern] of expected) {
    const told = framework(...args);
    if (!pattern.test(told)) throw new Error(`framework ${args.join(" ")} told: ${told}`);
  }
}

const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const ASKS_FOR_LIBSQL = new RegExp(`^2 [\\s\\S]*npm install libsql@${devDependencies.libsql}"`);
const ASKS_FOR_TINYBENCH = new RegExp(
  `^2 [\\s\\S]*npm install --save-dev tinybench@${devDependencies.tinybench}"`,
);
const SHORT = ["--rounds", "1", "--seconds", "0.05"];
const ASKS_FOR_PG = new RegExp(`^2 [\\s\\S]*npm install pg@${devDependencies.pg}"`);

const ASKS_FOR_OXC = new RegExp(
  `^2 [\\s\\S]*npm install --save-dev oxc-parser@${devDependencies["oxc-parser"]} magic-string@${devDependencies["magic-string"]}"`,
);

const WITHOUT_PEERS = [
  [["--help"], /^0 framework COMMAND/],
  [["config", "explain"], /^0 mode +production[\s\S]*\nserver\.port +3000 +default\n/],
  [["schematic", "export", "app.js", "--out", "schematics.json"], /^0 schematics\.json: \d+ Schematics?\n$/],
  [["schematic", "diff", "schematics.json", "app.js"], /^0 No change\.\n$/],
  [["bench", "bench.js", ...SHORT], /^0 ROUTE[\s\S]*\nGET \/greet /],
  [["bench", "run.js", ...SHORT], ASKS_FOR_TINYBENCH],
  [["fuzz", "app.js"], /^2 [\s\S]*set FRAMEWORK_PROFILE=test/],
  [
    ["fuzz", "app.js", "--allow-effects", "--runs", "3", "--seed", "1"],
    /^0 ROUTE[\s\S]*\nGET \/greet +200 x 3\n/,
  ],
  [["migrate", "--from", "0.29", "--to", "0.30"], ASKS_FOR_OXC],
  [["routes", "app.js"], /^0 METHOD[\s\S]*\nGET +\/greet +greet/],
  [["routes", "app.ts"], /^1 [\s\S]*(It is TypeScript|exports no ingress)/],
  [["rotues"], /^2 [\s\S]*did you mean routes/],
  [["store", "check", "sqlite:app.db"], /^1 [\s\S]*\ntables +none\n/],
  [["store", "migrate", "sqlite:app.db"], ASKS_FOR_LIBSQL],
  [["store", "check", "postgres://app@127.0.0.1/app"], ASKS_FOR_PG],
];

/** The thread of SQLite is a file of its own in the package. */
const WITH_LIBSQL = [
  [["store", "migrate", "sqlite:app.db"], /^0 sqlite:app\.db: migrated from no tables to version/],
  [["store", "check", "sqlite:app.db"], /^0 [\s\S]*\ntables +version/],
];

const MOST = { packages: 40, megabytes: 45 };

/** The size of an install: number of packages, the package itself included, and megabytes with the native binary. */
function sizeOf(project) {
  const lines = run("npm", ["ls", "--all", "--parseable"], project).trim().split("\n");
  // The first is the project.
  const packages = new Set(lines).size - 1;
  const megabytes = Number(run("du", ["-sm", "node_modules"], project).split("\t")[0]);
  const told = `${packages} packages, ${megabytes} MB`;
  if (packages > MOST.packages || megabytes > MOST.megabytes)
    throw new Error(`An install has ${told}: ${MOST.packages} and ${MOST.megabytes} MB are the most`);
  return told;
}

const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

run("node", ["scripts/build.mjs"], ".");
mkdirSync(".build", { recursive: true });
const packed = run("npm", ["pack", "--silent", "--pack-destination", ".build"], ".")
  .trim()
  .split("\n")
  .at(-1);
const project = mkdtempSync(join(tmpdir(), "framework-package-"));
let server;
try {
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(project, "server.js"), SERVER);
  writeFileSync(join(project, "work.js"), WORK);
  writeFileSync(join(project, "app.js"), APP);
  writeFileSync(join(project, "app.ts"), TYPED);
  writeFileSync(join(project, "bench.js"), BENCH);
  writeFileSync(join(project, "run.js"), RUN_BENCH);
  run("npm", ["install", "--silent", resolve(".build", packed)], project);
  const installed = sizeOf(project);
  compileEntries(project, "typescript", "nodenext");
  tryCommand(project, WITHOUT_PEERS);
  run("npm", ["install", "--silent", `libsql@${devDependencies.libsql}`], project);
  tryCommand(project, WITH_LIBSQL);
  const broken = brokenLinks(join(project, "node_modules", "framework"));
  if (broken.length > 0) throw new Error(`Links lead out of the package:\n${broken.join("\n")}`);

  server = spawn(process.execPath, ["server.js"], { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((told, failed) => {
    server.stdout.setEncoding("utf8").on("data", (text) => told(/listening (\S+)/.exec(text)?.[1]));
    server.once("exit", (code) => failed(new Error(`The server ended with ${code}`)));
  });
  const ask = async (name) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`http://${address}/greet`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name }),
    });
    return `${answer.status} ${JSON.stringify((await answer.json()).hello)}`;
  };
  const answers = [await ask("Ada"), await ask("")];
  if (answers.join() !== '200 "Ada",422 undefined')
    throw new Error(`The server answered ${answers.join(", ")}`);
  const [, script] =
    /<script[^>]* src="\.([^"]+)"/.exec(await (await fetch(`http://${address}/docs`)).text()) ?? [];
  const { headers } = await fetch(`http://${address}${script}`);
  if (headers.get("content-encoding") !== "gzip")
    throw new Error(`The page of docs() has no compressed script, but ${script}`);
  console.log(`An empty project with ${packed} answers: ${answers.join(", ")} (${installed})`);
  await tryTemplates(resolve(".build", packed), project);
} finally {
  // It loads some of its modules when they are needed, at its end too.
  if (server !== undefined && server.exitCode === null) {
    const exited = once(server, "exit");
    server.kill();
    await exited;
  }
  rmSync(project, { recursive: true, force: true });
  rmSync(join(".build", packed));
}
