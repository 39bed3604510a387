// docs/start.md: what a newcomer writes and types, as far as pages.test.ts has not compared it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";

import { folderWith, loaded } from "../support/config-folder.js";
import { fromRoot } from "../support/root.js";
import { bareEnvironment, programArguments } from "../support/run-program.js";

const page = readFileSync("docs/start.md", "utf8");
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text,
  );

const withoutIds = (text: string): string => text.replace(/"request_id":"[^"]+"/g, '"request_id":""');

describe("docs/start.md", () => {
  test("has the package.json and tsconfig.json that `framework new` writes", () => {
    const folder = folderWith({ "framework-0.30.0.tgz": "" });
    const source = ["--conditions=framework-source", "--import", import.meta.resolve("tsx")];
    const made = ["new", "harbour", "--template", "api", "--framework", "framework-0.30.0.tgz"];
    execFileSync(process.execPath, [...source, fromRoot("src/cli/main.ts"), ...made], {
      cwd: folder,
      env: bareEnvironment(),
    });
    const written = (name: string) => JSON.parse(readFileSync(join(folder, "harbour", name), "utf8"));
    const [manifest = "", tsconfig = ""] = blocksOf("json");
    const dependencies = { framework: "file:../framework/framework-0.30.0.tgz" };

    assert.deepEqual(JSON.parse(manifest), { ...written("package.json"), dependencies });
    assert.deepEqual(JSON.parse(tsconfig), written("tsconfig.json"));
  });

  test("has commands that print what it shows", async () => {
    const { port } = loaded().server;
    assert.ok(page.includes(`The server listens on port ${port} (`), "the port that is the default");
    const commands = [...page.matchAll(/^ {4}(curl .*)$/gm)].map(([, command = ""]) => command);
    const child = spawn(process.execPath, programArguments("examples/start/main.ts"), {
      env: { ...bareEnvironment(), FRAMEWORK_SERVER_PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      let address = "";
      for await (const line of createInterface(child.stdout)) {
        [, address = ""] = /http:\/\/([\d.]+:\d+)\/berths/.exec(line) ?? [];
        if (address !== "") break;
      }
      const printed = commands.map((command) =>
        execFileSync(
          "bash",
          ["-c", command.replace(`localhost:${port}`, address).replace("curl", "curl -s")],
          {
            encoding: "utf8",
          },
        ),
      );

      assert.equal(withoutIds(`${printed.join("\n")}\n`), withoutIds(blocksOf("text")[0] ?? ""));
    } finally {
      child.kill();
    }
  });
});
