import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { after, planned } from "./migrated.js";

const dependency = (fields: string): string => `[[rules]]\nkind = "dependency"\n${fields}`;

describe("dependency", () => {
  const change = (fields: string, text: string): Promise<string> =>
    after(dependency(fields), text, "package.json");

  test("raises a version, keeps its operator and the formatting, and lowers none", async () => {
    const raise = (text: string): Promise<string> => change('from_name = "f"\nversion = "0.30.0"', text);

    assert.equal(
      await raise(
        '{\r\n\t"dependencies" : {"f":"^0.29.1" , "g":"0.29.1"},\r\n\t"devDependencies": { "f": "~0.29" } }',
      ),
      '{\r\n\t"dependencies" : {"f":"^0.30.0" , "g":"0.29.1"},\r\n\t"devDependencies": { "f": "~0.30.0" } }',
    );
    assert.equal(await raise('{"peerDependencies":{"f":"0.29.0"}}'), '{"peerDependencies":{"f":"0.30.0"}}');
    for (const version of ["^0.31.0", "0.30.0", "1.0.0"])
      assert.equal(await raise(`{"dependencies":{"f":"${version}"}}`), `{"dependencies":{"f":"${version}"}}`);
  });

  test("changes nothing of that name elsewhere", async () => {
    const text = '{"f":"0.29.0","scripts":{"f":"0.29.0"},"x":{"dependencies":{"f":"0.29.0"}},"files":["f"]}';

    assert.equal(await change('from_name = "f"\nversion = "0.30.0"', text), text);
  });

  test("swaps a package for another", async () => {
    assert.equal(
      await change(
        'from_name = "old"\nto_name = "@scope/new"\nversion = "^2.0.0"',
        '{"dependencies":{"a":"1","old":"workspace:*"},"peerDependenciesMeta":{"old":{"optional":true}}}',
      ),
      '{"dependencies":{"a":"1","@scope/new":"^2.0.0"},"peerDependenciesMeta":{"@scope/new":{"optional":true}}}',
    );
  });

  test("warns of a version that is a range, a tag or a path", async () => {
    const { changes, warnings } = await planned(dependency('from_name = "f"\nversion = "0.30.0"'), {
      "package.json": '{\n  "dependencies": { "f": "workspace:*" }\n}',
    });

    assert.deepEqual(changes, []);
    assert.deepEqual(
      warnings.map(({ line, column, message }) => [line, column, message]),
      [[2, 26, "f is 'workspace:*': see that it allows 0.30.0"]],
    );
  });

  test("leaves a file alone that has both packages, or is no JSON", async () => {
    const swap = 'from_name = "a"\nto_name = "b"';

    await assert.rejects(
      change(swap, '{"dependencies":{"a":"1","b":"1"}}'),
      /its dependencies have both a and b: remove one/,
    );
    await assert.rejects(change(swap, '{"dependencies":{"a":"1",}}'), /it is no JSON/);
  });
});

const key = (from: string, to: string): string =>
  `[[rules]]\nkind = "config_key"\nfrom_name = "${from}"\nto_name = "${to}"\n`;

describe("config_key", () => {
  const change = (from: string, to: string, text: string): Promise<string> =>
    after(key(from, to), text, "framework.toml");

  test("renames a key in its table and in those of profiles, and keeps comments", async () => {
    assert.equal(
      await change(
        "server.body_limit",
        "server.body_limit_bytes",
        '# body_limit\n[server]\n# big\nbody_limit = 1_000 # bytes\n[profile.staging.server]\n"body_limit"=2\r\n[other]\nbody_limit = 3\n',
      ),
      "# body_limit\n[server]\n# big\nbody_limit_bytes = 1_000 # bytes\n[profile.staging.server]\nbody_limit_bytes=2\r\n[other]\nbody_limit = 3\n",
    );
  });

  test("renames it in dotted keys and in inline tables", async () => {
    assert.equal(await change("a.b", "a.c", "a.b = 1\nx = { b = 2 }\n"), "a.c = 1\nx = { b = 2 }\n");
    assert.equal(
      await change("a.b", "a.c", "a = { x = [1, { b = 0 }], b = 2 }\n"),
      "a = { x = [1, { b = 0 }], c = 2 }\n",
    );
  });

  test("renames a table", async () => {
    assert.equal(
      await change(
        "log",
        "logging",
        "[log]\nlevel = 1\n[log.levels]\nx = 1\n[profile.test]\nlog.level = 2\n",
      ),
      "[logging]\nlevel = 1\n[logging.levels]\nx = 1\n[profile.test]\nlogging.level = 2\n",
    );
  });

  test("moves a key to another table, with the comments above it", async () => {
    assert.equal(
      await change("a.x", "b.y", "[a]\nv = 1\n# what x is\nx = [\n  1, # one\n] # many\n[b]\nw = 1\n\n[c]\n"),
      "[a]\nv = 1\n[b]\nw = 1\n# what x is\ny = [\n  1, # one\n] # many\n\n[c]\n",
    );
    assert.equal(await change("a.x", "b.y", "[a]\nx = 1"), "[a]\n\n[b]\ny = 1\n");
    assert.equal(await change("a.x", "b.y", "a.x = 1\n"), "b.y = 1\n");
  });

  test("leaves a file alone that has both keys, or is no TOML", async () => {
    await assert.rejects(
      change("a.x", "a.y", "[a]\nx = 1\ny = 2\n"),
      /it has both a\.x and a\.y: remove one/,
    );
    await assert.rejects(change("a.x", "a.y", "[a]\nx = \n"), /it is no TOML \(line 2\)/);
  });
});
