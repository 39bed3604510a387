import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";

import { folderWith } from "../../support/config-folder.js";
import { fromRoot, root } from "../../support/root.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

/** `framework migrate`, as it is typed in a folder. */
function migrate(cwd: string, from: string, to: string) {
  const program = programArguments("src/cli/main.ts", "migrate", "--from", from, "--to", to);
  return spawnSync(process.execPath, program, { cwd, encoding: "utf8", env: bareEnvironment() });
}

describe("the rules from 0.29 to 0.30", () => {
  const OLDER = fromRoot("native-tests/migrate/older-examples");

  test("make older examples type-check, raise the dependency and tell what is left", () => {
    const names = readdirSync(OLDER);
    const folder = folderWith(
      Object.fromEntries(
        names.map((name) => [basename(name, ".txt"), readFileSync(join(OLDER, name), "utf8")]),
      ),
    );
    const base = fromRoot("tsconfig.json");
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: base,
        compilerOptions: { typeRoots: [fromRoot("node_modules/@types")] },
        include: ["*.ts"],
        exclude: [],
      }),
    );
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules/framework"));
    const typeErrors = (): string =>
      spawnSync(fromRoot("node_modules/.bin/tsc"), ["-p", "."], { cwd: folder, encoding: "utf8" }).stdout;

    assert.match(typeErrors(), /hooks\.ts.*latency_budget[\s\S]*remote-keys\.ts.*RemoteKeys/);
    const { status, stderr } = migrate(folder, "0.29.0", "0.30.0");
    assert.equal(status, 0);
    assert.equal(typeErrors(), "");
    assert.match(readFileSync(join(folder, "package.json"), "utf8"), /"framework": "\^0\.30\.0",\n/);
    assert.match(stderr, /^framework\.toml:3:1: warning: .*docs\/tracing\.md/m);
    assert.match(stderr, /^hooks\.ts:9:5: warning: .*latency/m);
    assert.match(migrate(folder, "0.29", "0.30").stdout, / 0 changed\n$/);
  });
});
