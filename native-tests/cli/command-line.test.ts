import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { commands } from "../../src/cli/commands.js";
import { folderWith } from "../support/config-folder.js";
import { moduleOf } from "../support/root.js";
import { runCommand } from "../support/run-command.js";
import { type Place, runCommandIn } from "../support/run-command-in.js";
import { bareEnvironment, programArguments } from "../support/run-program.js";

/** Runs the program in a process of its own. */
function framework(args: readonly string[], { env = {}, cwd = process.cwd() }: Place = {}) {
  const program = programArguments("src/cli/main.ts", ...args);
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd,
    encoding: "utf8",
    env: { ...bareEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}

const inProcess = (args: readonly string[], place: Place = {}) => runCommandIn(place, args);

describe("framework", () => {
  test("lists its commands, each of which has help with its options and an example", async () => {
    const { status, stdout, stderr } = framework(["--help"]);

    assert.deepEqual([status, stderr], [0, ""]);
    for (const { name, summary, help, options } of commands) {
      assert.ok(stdout.includes(`  ${name} `) && stdout.includes(summary), name);
      assert.ok(help.startsWith(`framework ${name} `), name);
      assert.match(
        help,
        new RegExp(`\\n  (?:\\w+=\\S+ |source <\\()*framework ${name}`),
        `${name}: an example`,
      );
      for (const option of Object.keys(options))
        assert.ok(help.includes(`--${option}`), `${name} --${option}`);
    }
    for (const args of [
      ["routes", "--help"],
      ["config", "explain", "-h"],
      ["config", "--help"],
    ]) {
      const told = await inProcess(args);
      assert.deepEqual([told.status, told.stderr], [0, ""], args.join(" "));
      assert.match(told.stdout, new RegExp(`^framework ${args[0]} `));
    }
  });

  test("tells its version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

    assert.deepEqual(await inProcess(["--version"]), { status: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("is 2 for a command line that is wrong, says what is near, and prints nothing else", async () => {
    const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [[], /^framework: a command is missing\n\nframework COMMAND/],
      [["rotues"], /there is no command 'rotues'; did you mean routes\?/],
      [["config"], /there is no command 'config'; there is config explain\n/],
      [
        ["store"],
        /there is no command 'store'; there are store check, store migrate, store compact, store encrypt\n/,
      ],
      [["config", "explian"], /did you mean config explain\?/],
      [["config", "explain", "--jsn"], /there is no option '--jsn'; did you mean --json\?/],
      [["config", "explain", "--xyzzy"], /there is no option '--xyzzy'; there are --file, --json/],
      [
        ["config", "explain", "--file"],
        /'--file <value>' argument missing.*'framework config explain --help'/,
      ],
      [["config", "explain", "now"], /'now' is one word too many/],
      [["--json"], /there is no command '--json'/],
      [["routes"], /: framework routes dist\/app\.js/],
      [["routes", "nowhere.js"], /there is no file nowhere\.js/],
      [["ro\u001b[2Jutes"], /there is no command 'ro\\u001b\[2Jutes'/],
    ];
    for (const [args, message] of wrong) {
      const { status, stdout, stderr } = await runCommand(args);
      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n {4}at /, "no stack");
    }
    assert.equal(framework(["rotues"]).status, 2);
  });
});

describe("framework config explain", () => {
  const cwd = folderWith({
    "framework.toml": "[server]\nport = 8080\n",
    "other.toml": "[server]\nprot = 8080\n[logging]\nlevel = 'loud'\n",
  });
  const env = {
    FRAMEWORK_REDIS_URL: "redis://:hunter22@cache",
    FRAMEWORK_PERSISTENCE_URL: "postgres://app:hunter22@db/shop",
    FRAMEWORK_PROFILE: "dev",
  };

  test("prints each value and its layer, without secrets", () => {
    const { status, stdout, stderr } = framework(["config", "explain"], { cwd, env });

    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^mode {5}not production: FRAMEWORK_PROFILE is 'dev'\n/);
    assert.match(stdout, /^server\.port +8080 +framework\.toml:2$/m);
    assert.match(
      stdout,
      /^persistence\.url +"postgres:\/\/\[redacted\]@db\/shop" +FRAMEWORK_PERSISTENCE_URL$/m,
    );
    assert.match(stdout, /^redis\.url +"redis:\/\/\[redacted\]@cache" +FRAMEWORK_REDIS_URL$/m);
    assert.doesNotMatch(stdout, /hunter22/);
  });

  test("prints the same as JSON", async () => {
    const { status, stdout } = await inProcess(["config", "explain", "--json"], { cwd, env });
    const told = JSON.parse(stdout);
    const of = (path: string) => told.keys.find(({ key }: { key: string }) => key === path);

    assert.equal(status, 0);
    assert.deepEqual([told.file, told.profile, told.mode.production], ["framework.toml", "dev", false]);
    assert.deepEqual([of("server.port").value, of("server.port").origin.line], [8080, 2]);
    assert.equal(of("redis.url").value, "redis://[redacted]@cache");
    assert.equal(of("telemetry.otlp_endpoint").value, null);
  });

  test("is 1 where there are mistakes, and has them all", async () => {
    const { status, stdout, stderr } = await inProcess(["config", "explain", "--file", "other.toml"], {
      cwd,
      env: { FRAMEWORK_PROFILE: "stagign" },
    });

    assert.deepEqual([status, stdout], [1, ""]);
    assert.deepEqual(stderr.split("\n"), [
      "framework: The configuration has 3 mistakes:",
      "  other.toml:2:1 server.prot: there is no such key; did you mean server.port?",
      '  other.toml:4:1 logging.level: is "loud"; it must be one of "trace", "debug", "info", "warn", "error", "fatal", "silent"',
      '  FRAMEWORK_PROFILE: is "stagign", and other.toml has no such [profile]; it must be one of dev, test, prod, production',
      "",
    ]);
  });

  test("has the stack of a failure where it is asked for", async () => {
    const verbose = await inProcess(["config", "explain", "--file", "other.toml", "--verbose"], { cwd });

    assert.equal(verbose.status, 1);
    assert.match(verbose.stderr, /\n {4}at .*config/);
  });
});

describe("framework routes", () => {
  test("prints a line for each route of an ingress that a function makes", () => {
    const { status, stdout, stderr } = framework(["routes", moduleOf("examples/routes/app.ts")]);

    assert.deepEqual([status, stderr], [0, ""]);
    const page = readFileSync("docs/command-line.md", "utf8");
    assert.equal(/^\$ npx framework routes .*\n([\s\S]*?)^```/m.exec(page)?.[1], stdout, "the page shows it");
    const [head, ...rows] = stdout.trim().split("\n");
    assert.match(head ?? "", /^METHOD +PATH +AXON +GUARDS +INPUT$/);
    assert.ok(
      rows.some((row) => /^GET +\/v1\/notes\/:id +show note +- +-$/.test(row)),
      stdout,
    );
    const column = (head as string).indexOf("AXON");
    assert.deepEqual(
      rows.filter((row) => row[column] === " " || row[column - 1] !== " "),
      [],
    );
  });

  test("has guards, inputs and names of schemas, for programs too", () => {
    const { status, stdout } = framework([
      "routes",
      moduleOf("native-tests/support/routes-app.ts"),
      "--json",
    ]);

    assert.equal(status, 0);
    assert.deepEqual(
      JSON.parse(stdout).map(({ method, path, axon, guards, input }: any) => [
        method,
        path,
        axon,
        guards,
        input,
      ]),
      [
        ["POST", "/orders", "order", ["open"], "json Order"],
        ["GET", "/orders/:id", "show", ["open"], "at: path, page: query Page"],
        ["PUT", "/file", "keep", ["open"], "bytes"],
        ["*", "/*path", "lost", ["open"], null],
      ],
    );
  });

  test("does not wait for what the module left open", () => {
    const { status, stdout } = framework([
      "routes",
      moduleOf("native-tests/support/routes-app.ts"),
      "--export",
      "made",
    ]);

    assert.equal(status, 0);
    assert.match(stdout, /^GET +\/ +lost +- +-$/m);
  });

  test("is 1 for a module without an ingress, and says what it exports and what it should", async () => {
    const { status, stdout, stderr } = await inProcess(["routes", moduleOf("examples/orders/app.ts")]);

    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /exports no ingress as default or ingress or app\. It exports shop\. Export what/);
    const other = await inProcess(["routes", "scripts/tests/notes.mjs", "--export", "x"]);
    assert.match(other.stderr, /no ingress as x/);
  });

  test("makes the ingress by a factory, which gets no options", async () => {
    const folder = folderWith({
      "app.mjs":
        "export const app = ({ name = 'ferries' }) => ({ plan: {}, routes: () => [{ method: 'GET', path: '/' + name, axon: 'sail', guards: [] }] });",
      "needy.mjs": "export const app = ({ stores }) => stores.all();",
      "many.mjs": "export const app = (stores, log) => [stores, log];",
    });

    const made = await inProcess(["routes", `${folder}/app.mjs`]);
    assert.deepEqual([made.status, made.stderr], [0, ""]);
    assert.match(made.stdout, /^GET +\/ferries +sail/m);
    const needy = await inProcess(["routes", `${folder}/needy.mjs`]);
    assert.equal(needy.status, 1);
    assert.match(needy.stderr, /app\(\{\}\) threw\. Give its options defaults.*\n.*because .*'all'/);
    const many = await inProcess(["routes", `${folder}/many.mjs`]);
    assert.equal(many.status, 1);
    assert.match(many.stderr, /no ingress as .* app has more parameters than one of options\. Export what/);
  });

  test("finds the ingress under any name where one export alone can be it", async () => {
    const ingress =
      "{ plan: {}, routes: () => [{ method: 'GET', path: '/berths', axon: 'show', guards: [] }] }";
    const folder = folderWith({
      "made.mjs": `export const MAX = 1; export const harbour = () => (${ingress});`,
      "value.mjs": `export const helper = () => { throw new Error("called"); }; export const harbour = ${ingress};`,
      "two.mjs": `export const harbour = ${ingress}; export const pier = ${ingress};`,
      "functions.mjs": `export const helper = () => { throw new Error("called"); }; export const harbour = () => (${ingress});`,
      "async.mjs": `export const main = async () => { throw new Error("called"); };`,
      "other.mjs": "export const add = ({ of: [a] }) => a;",
    });
    const routes = (name: string) => runCommand(["routes", `${folder}/${name}.mjs`]);

    for (const name of ["made", "value"])
      assert.match((await routes(name)).stdout, /^GET +\/berths +show/m, name);
    for (const name of ["two", "functions", "async"]) {
      const { status, stderr } = await routes(name);
      assert.equal(status, 1, name);
      assert.match(
        stderr,
        /exports no ingress as default or ingress or app\. It exports .*Export what/,
        name,
      );
      assert.doesNotMatch(stderr, /called/, name);
    }
    assert.match((await routes("other")).stderr, /exports no ingress as .*\n +because .*add\(\{\}\) threw/);
  });

  test("is 1 for a module that cannot be loaded, with its reason, and with its stack where asked", async () => {
    const folder = folderWith({ "broken.mjs": "throw new Error('no database');" });
    const broken = await inProcess(["routes", `${folder}/broken.mjs`]);
    assert.equal(broken.status, 1);
    assert.match(broken.stderr, /broken\.mjs could not be loaded\n {2}because no database\n$/);
    const verbose = await inProcess(["routes", `${folder}/broken.mjs`, "--verbose"]);
    assert.match(verbose.stderr, /no database\n +at .*broken\.mjs:1/);
  });
});

describe("framework completion", () => {
  const completed = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await inProcess(["completion", "bash"]);
    const call = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}; _framework; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", `${stdout}\n${call}`], { encoding: "utf8" }).stdout.trim();
  };

  test("completes commands, their second words and their options", async () => {
    assert.equal(await completed("framework", "rou"), "routes");
    assert.equal(await completed("framework", "config", ""), "explain");
    assert.equal(await completed("framework", "routes", "app.js", "--ex"), "--export");
    assert.equal(await completed("framework", "audit", "verify", "--cha"), "--chain-only");
  });

  test("is 2 for another shell", async () => {
    const { status, stderr } = await runCommand(["completion", "fish"]);

    assert.equal(status, 2);
    assert.match(stderr, /: source <\(framework completion bash\)/);
  });
});
