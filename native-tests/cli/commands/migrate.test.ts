import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { runCommandLine } from "../../../src/cli/command-line.js";
import { folderWith } from "../../support/config-folder.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

async function migrate(
  args: readonly string[],
  surroundings: { readonly isTerminal?: boolean; readonly hasColour?: boolean } = {},
) {
  let [stdout, stderr] = ["", ""];
  const status = await runCommandLine(["migrate", ...args], {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    isTerminal: false,
    ...surroundings,
  });
  return { status, stdout, stderr };
}

/** As it is typed, in a folder. */
function typed(cwd: string, ...args: readonly string[]) {
  const program = programArguments("src/cli/main.ts", "migrate", ...args);
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd,
    encoding: "utf8",
    env: bareEnvironment(),
  });
  return { status, stdout, stderr };
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@t.example"];
  execFileSync("git", [...identity, ...args], { cwd, stdio: "ignore" });
}

const RULES = `
[[rules]]
kind = "rename_import"
from_module = "m"
from_name = "Old"
to_name = "New"

[[rules]]
kind = "warn"
from_module = "m"
from_name = "Gone"
message = "write it by hand"
link = "https://m.example/2"
`;

const SOURCE = 'import { Old } from "m";\nnew Old();\n';
const MIGRATED = 'import { New } from "m";\nnew New();\n';

function project(files: Readonly<Record<string, string>> = { "a.ts": SOURCE }) {
  const folder = folderWith({ ...files, "rules/rules.toml": RULES });
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");
  const run = (...args: readonly string[]) =>
    migrate(["--from", "1", "--to", "2", "--rules", join(folder, "rules/rules.toml"), folder, ...args]);
  return { folder, text, run };
}

describe("framework migrate", () => {
  test("changes what rules name, tells of the rest, and changes nothing at a second run", async () => {
    const { text, run } = project({ "a.ts": SOURCE, "b.ts": 'import { Gone } from "m";\n' });
    const first = await run();
    const second = await run();

    assert.deepEqual([first.status, text("a.ts")], [0, MIGRATED]);
    assert.match(first.stdout, /^changed .*a\.ts\n3 files read, 1 changed\n$/);
    assert.match(first.stderr, /^.*b\.ts:1:10: warning: write it by hand \(https:\/\/m\.example\/2\)\n$/);
    assert.deepEqual([second.status, second.stdout], [0, "3 files read, 0 changed\n"]);
  });

  test("with --dry-run changes nothing, is 1, and prints a diff that git applies", () => {
    const { folder, text } = project();
    const args = ["--from", "1", "--to", "2", "--rules", "rules"];
    const dry = typed(folder, ...args.slice(0, 4), "--rules", "rules/rules.toml", "--dry-run");

    assert.equal(dry.status, 1);
    assert.equal(text("a.ts"), SOURCE);
    assert.equal(dry.stderr, "2 files read, 1 would change\n");
    writeFileSync(join(folder, "x.patch"), dry.stdout);
    git(folder, "apply", "x.patch");
    assert.equal(text("a.ts"), MIGRATED);
    const again = typed(folder, ...args, "--dry-run");
    assert.deepEqual([again.status, again.stdout], [0, ""]);
  });

  test("colours the diff on a terminal, where nothing of a file acts", async () => {
    const { folder } = project({ "a.ts": `${SOURCE}\t"\x1b[31m";\r\n` });
    const args = ["--from", "1", "--to", "2", "--rules", join(folder, "rules"), folder, "--dry-run"];
    const { stdout } = await migrate(args, { hasColour: true });

    assert.ok(stdout.includes('\x1b[31m-import { Old } from "m";\x1b[39m\n\x1b[31m-new Old();\x1b[39m\n'));
    assert.ok(stdout.includes(' \t"\\u001b[31m";\n'));
    assert.ok(!(await migrate(args)).stdout.includes("\x1b[39m"));
  });

  test("leaves a file that does not parse, names it, migrates the others, and is 1", async () => {
    const { text, run } = project({ "a.ts": SOURCE, "broken.ts": `${SOURCE}const = ;\n` });
    const { status, stdout, stderr } = await run();

    assert.equal(status, 1);
    assert.deepEqual([text("a.ts"), text("broken.ts")], [MIGRATED, `${SOURCE}const = ;\n`]);
    assert.match(stderr, /^.*broken\.ts: left alone: it does not parse: .* \(line 3\)\n$/);
    assert.match(stdout, /3 files read, 1 changed, 1 left alone\n$/);
  });

  test("touches nothing where a rule file is wrong", async () => {
    const { folder, text, run } = project();
    writeFileSync(join(folder, "rules/rules.toml"), `${RULES}[[rules]]\nkind = "warn"\n`);
    const { status, stderr } = await run();

    assert.deepEqual([status, text("a.ts")], [2, SOURCE]);
    assert.match(stderr, /rules\.toml: rule 3 \(warn\): `message` is missing\n$/);
  });

  // MG5: the migration is refused as a whole.
  test("touches nothing where the rules would change their own result", async () => {
    const { folder, text, run } = project({ "a.ts": SOURCE, "z.ts": "getX" });
    writeFileSync(
      join(folder, "rules/rules.toml"),
      `${RULES}[[rules]]\nkind = "text_replace"\nregex = true\npattern = "get(X+)"\nreplacement = "get$1X"\n`,
    );
    const { status, stderr } = await run();

    assert.deepEqual([status, text("a.ts")], [2, SOURCE]);
    assert.match(
      stderr,
      /rule 3 \(text_replace\): a second run would change .*z\.ts again, 'getXX' to 'getXXX'/,
    );
  });

  test("refuses a git tree with changes that are not committed, but for --force and where nothing would change", async () => {
    const { folder, text, run } = project();
    git(folder, "init", "-q");
    const untracked = await run();
    git(folder, "add", ".");
    git(folder, "commit", "-qm", "all");
    writeFileSync(join(folder, "other.txt"), "");
    const dirty = await run();

    assert.deepEqual([untracked.status, dirty.status, text("a.ts")], [2, 2, SOURCE]);
    assert.match(dirty.stderr, /not committed: other\.txt\. .*or give --force\n$/);
    assert.equal((await run("--dry-run")).status, 1);
    assert.deepEqual([(await run("--force")).status, text("a.ts")], [0, MIGRATED]);
    assert.equal((await run()).stdout, "3 files read, 0 changed\n");
  });

  test("migrates a committed tree", async () => {
    const { folder, text, run } = project();
    git(folder, "init", "-q");
    git(folder, "add", ".");
    git(folder, "commit", "-qm", "all");

    assert.deepEqual([(await run()).status, text("a.ts")], [0, MIGRATED]);
  });

  test("keeps the mode of a file, and leaves nothing beside it", async () => {
    const { folder, run } = project();
    // More than the umask leaves to a new file.
    chmodSync(join(folder, "a.ts"), 0o777);
    await run();

    assert.equal(statSync(join(folder, "a.ts")).mode & 0o7777, 0o777);
    assert.deepEqual(readdirSync(folder).sort(), ["a.ts", "rules"]);
  });

  test("says which files of a rule match nothing", async () => {
    const { folder, run } = project();
    writeFileSync(
      join(folder, "rules/rules.toml"),
      `[[rules]]\nkind = "warn"\npattern = "x"\nmessage = "y"\nfiles = "scr/**"\n`,
    );

    assert.match((await run()).stderr, /rules\.toml, rule 1 \(warn\): no file matches scr\/\*\*\n$/);
  });

  for (const [args, message] of [
    [[], /^framework: --from is missing: framework migrate --from 0\.29 --to 0\.30\n$/],
    [["--from", "0.29"], /--to is missing/],
    [["--from", "latest", "--to", "0.30"], /--from .*such as 0\.30, not 'latest'/],
    [
      ["--from", "0.30", "--to", "0.29"],
      /--to 0\.29 is not later than --from 0\.30: rules lead to later versions/,
    ],
    [["--from", "0.30.0", "--to", "0.30.1"], /both versions are 0\.30: /],
    [
      ["--from", "0.28", "--to", "0.30"],
      /from 0\.28 to 0\.29 is missing\. .*from 0\.29 to 0\.30; give others by --rules/,
    ],
    [["--from", "0.29", "--to", "0.30", "/none/such"], /no file or folder \/none\/such/],
    [["--from", "0.29", "--to", "0.30", "--rules", "/none.toml"], /no file \/none\.toml; --rules names/],
    [
      ["--from", "0.29", "--to", "0.30", "--dryrun"],
      /there is no option '--dryrun'; did you mean --dry-run\?/,
    ],
  ] as const)
    test(`is 2 with ${args.join(" ") || "nothing"}, and says why`, async () => {
      const { status, stderr } = await migrate(args);

      assert.equal(status, 2);
      assert.match(stderr, message);
    });
});
