// A program of its own whose configuration is wrong in one layer or all of them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { describe, test } from "node:test";

import { FrameworkConfig } from "framework";
import { folderWith, mistaken } from "../support/config-folder.js";
import { bareEnvironment, programArguments } from "../support/run-program.js";

const program = programArguments("native-tests/support/configured-server.ts");

/** Starts it in a folder with this framework.toml and these variables. It must end by itself. */
function start(toml: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd: folderWith({ "framework.toml": toml }),
    encoding: "utf8",
    env: { ...bareEnvironment(), FRAMEWORK_SERVER_PORT: "0", ...env },
    timeout: 20_000,
  });
  return { status, stdout, stderr };
}

const MISTAKES: Readonly<Record<string, readonly [toml: string, env: Record<string, string>, line: string]>> =
  {
    "in the syntax of the file": ["[server]\nport = \n", {}, "framework.toml:2:8: this is no TOML: "],
    "in the name of a key": [
      "[server]\nprot = 80\n",
      {},
      "framework.toml:2:1 server.prot: there is no such key; did you mean server.port?",
    ],
    "in the type of a value": [
      '[server]\nport = "80"\n',
      {},
      'framework.toml:2:1 server.port: is "80"; it must be a whole number from 0 to 65535',
    ],
    "in a profile that is not chosen": [
      "[profile.staging.logging]\nlevel = 'loud'\n",
      {},
      'framework.toml:2:1 profile.staging.logging.level: is "loud"; it must be one of "trace", ',
    ],
    "in the name of the profile": [
      "[profile.staging.server]\n",
      { FRAMEWORK_PROFILE: "stagign" },
      'FRAMEWORK_PROFILE: is "stagign", and framework.toml has no such [profile]; did you mean staging?',
    ],
    "in the name of a variable": [
      "",
      { FRAMEWORK_SERVER_PROT: "80" },
      "FRAMEWORK_SERVER_PROT: there is no such variable; did you mean FRAMEWORK_SERVER_PORT?",
    ],
    "in the value of a variable": [
      "",
      { FRAMEWORK_SERVER_PORT: "eighty" },
      'FRAMEWORK_SERVER_PORT: is "eighty"; it must be a whole number from 0 to 65535',
    ],
    "between two keys": ["[tls]\nenabled = true\n", {}, "tls.cert_path: is empty; tls.enabled needs it"],
  };

describe("a configuration with a mistake", () => {
  for (const [where, [toml, env, line]] of Object.entries(MISTAKES)) {
    test(`${where} is an error that reports it once, from the program's own call on`, () => {
      const cwd = folderWith({ "framework.toml": toml });
      const { stack = "" } = mistaken(() => FrameworkConfig.load({ cwd, env, terminal: false }));

      assert.equal(stack.split(line).length, 2, `${line} once in ${stack}`);
      assert.match(/^ {4}at .*$/m.exec(stack)?.[0] ?? "", /newcomer\.test\.ts/);
    });
  }
});

describe("a program that is started with a mistake", () => {
  test("in each layer ends with 1 and one report of all, from its own call on", () => {
    const { status, stdout, stderr } = start("[server]\nprot = 80\n[profile.x.server]\nport = -1\n", {
      FRAMEWORK_PROFILE: "y",
      FRAMEWORK_LOGGING_LEVEL: "loud",
    });

    assert.deepEqual([status, stdout], [1, ""]);
    assert.equal(stderr.split("ConfigError: The configuration has 4 mistakes:\n").length, 2, stderr);
    const report = stderr.slice(stderr.indexOf("ConfigError: "));
    assert.match(/^ {4}at .*$/m.exec(report)?.[0] ?? "", /configured-server\.ts/);
  });

  test("that only the server can know ends with 1, its code and the remedy", async () => {
    const tls = start('[tls]\nmin_version = "1.3"\n');
    assert.deepEqual([tls.status, tls.stdout], [1, ""]);
    assert.match(
      tls.stderr,
      /tls\.min_version \(framework\.toml:2\) is "1\.3".*put a proxy[\s\S]*TLS_UNSUPPORTED/,
    );

    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const taken = start("", { FRAMEWORK_SERVER_PORT: String(port) });
    assert.equal(taken.status, 1);
    assert.match(taken.stderr, /Cannot listen on 127\.0\.0\.1:\d+: EADDRINUSE; stop the process that has it/);
    other.close();
  });
});
