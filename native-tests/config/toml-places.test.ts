import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { parse } from "smol-toml";

import { placeKey, tomlPlaces } from "#config/toml-places.js";

const place = (source: string, ...path: string[]) => {
  parse(source);
  const found = tomlPlaces(source).get(placeKey(path));
  return found && `${found.line}:${found.column}`;
};

describe("the places of keys in TOML", () => {
  test("are those of keys under headers, dotted keys and inline keys", () => {
    const source = [
      "top = 1",
      "[server] # the server",
      "  port = 1",
      'tls."a.b" = { x = 1, y.z = [ { q = 2 } ] }',
      "[ a . 'b c' ]",
      "d=1",
    ].join("\n");

    assert.equal(place(source, "top"), "1:1");
    assert.equal(place(source, "server"), "2:1");
    assert.equal(place(source, "server", "port"), "3:3");
    assert.equal(place(source, "server", "tls"), "4:1");
    assert.equal(place(source, "server", "tls", "a.b"), "4:1");
    assert.equal(place(source, "server", "tls", "a.b", "x"), "4:15");
    assert.equal(place(source, "server", "tls", "a.b", "y", "z"), "4:22");
    assert.equal(place(source, "server", "tls", "a.b", "y", "z", "q"), "4:32");
    assert.equal(place(source, "a", "b c", "d"), "6:1");
  });

  test("are not taken from strings and comments", () => {
    const source = [
      "# [server]",
      'a = """',
      "[server]",
      'port = 1 \\" "" ',
      '"""" # a quote at the end',
      "b = '''",
      "[server]",
      "''''",
      'c = "[server] # \\" port = 2"',
      "d = 'port = 3'",
      "e = [ # [server]",
      '  "]", \'"\',',
      "]",
      "[server]",
      "port = 4 # port = 5",
      "host = 'x'",
    ].join("\n");

    assert.equal(place(source, "server"), "14:1");
    assert.equal(place(source, "server", "port"), "15:1");
    assert.equal(place(source, "server", "host"), "16:1");
  });

  test("are named as the parser names keys, escapes and all", () => {
    assert.equal(place('x = 1\n"\\u0070o\\"rt" = 2', 'po"rt'), "2:1");
    assert.equal(place('x = 1\n"" = 2', ""), "2:1");
    assert.equal(place("x = 1\n__proto__.y = 2", "__proto__", "y"), "2:1");
  });

  test("count lines of Windows, and no byte order mark", () => {
    assert.equal(place("\ufeffx = 1\r\n  y = 2\r\nz = 3", "x"), "1:1");
    assert.equal(place("\ufeffx = 1\r\n  y = 2\r\nz = 3", "y"), "2:3");
    assert.equal(place("\ufeffx = 1\r\n  y = 2\r\nz = 3", "z"), "3:1");
  });

  test("are those of the first of several tables", () => {
    assert.equal(place("[[a]]\nb = 1\n[[a]]\nb = 2", "a"), "1:1");
    assert.equal(place("[[a]]\nb = 1\n[[a]]\nb = 2", "a", "b"), "2:1");
  });

  test("are right in any document", () => {
    const name = fc.stringMatching(/^[a-z_-]{1,6}$/);
    const value = fc.oneof(
      fc.string().map((text) => JSON.stringify(text.replaceAll("\x7f", ""))),
      fc.constantFrom(
        "1",
        "-1.5e3",
        "true",
        "1979-05-27T07:32:00Z",
        "[]",
        "{}",
        "[[1],\n# ]\n[2,]]",
        "{ q = '}' }",
      ),
      fc.constantFrom('"""a"b""c\n"""', "'''\n''a'''", '"""\\\n  """""', '""', "''"),
    );
    const line = fc.record({
      blank: fc.constantFrom("", "# x = [\n", "\n\n"),
      indent: fc.nat(3),
      name,
      value,
      comment: fc.constantFrom("", " # 'x"),
    });
    const table = fc.record({
      name,
      lines: fc.uniqueArray(line, { selector: (one) => one.name, maxLength: 5 }),
    });

    fc.assert(
      fc.property(fc.uniqueArray(table, { selector: (one) => one.name, maxLength: 4 }), (tables) => {
        let source = "";
        const expected: [string, string][] = [];
        const note = (...path: string[]) => {
          const lines = source.split("\n");
          expected.push([placeKey(path), `${lines.length}:${(lines.at(-1) as string).length + 1}`]);
        };
        for (const { name, lines } of tables) {
          note(name);
          source += `[${name}]\n`;
          for (const one of lines) {
            source += one.blank + " ".repeat(one.indent);
            note(name, one.name);
            source += `${one.name} = ${one.value}${one.comment}\n`;
          }
        }
        parse(source);

        const places = tomlPlaces(source);

        for (const [path, at] of expected) {
          const found = places.get(path);
          assert.equal(found && `${found.line}:${found.column}`, at, `${path} in\n${source}`);
        }
      }),
    );
  });

  test("are those of exactly the keys that the parser finds", () => {
    const fragments = fc.constantFrom(
      ..."a b \"a.b\" 'c' __proto__ . = , [ ] [[ ]] { } 1 -1.5 true 1979-05-27 \"x # [\" '}' # [a]".split(
        " ",
      ),
      ...[" ", "\n", "\r\n", "a = ", "b = {", "c = [", "[a]\n", "[[b]]\n", '"""\n""" "', "'''"],
      ...["a = 1\n", "a.b = 2\n", "b = { a = 1, c.d = [ { e = 2 } ] }\n", "c = [1, # ]\n [2]]\n"],
    );
    const pathsOf = (value: unknown, path: readonly string[]): readonly string[] => {
      if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, path));
      if (typeof value !== "object" || value === null || value instanceof Date) return [];
      return Object.entries(value).flatMap(([name, inner]) => {
        const inside = [...path, name];
        return [placeKey(inside), ...pathsOf(inner, inside)];
      });
    };
    let parsed = 0;

    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 8 }), (parts) => {
        const source = parts.join("");
        let root: unknown;
        try {
          root = parse(source);
        } catch {
          return;
        }
        parsed += 1;

        const places = tomlPlaces(source);

        assert.deepEqual([...places.keys()].sort(), [...new Set(pathsOf(root, []))].sort(), source);
      }),
      { numRuns: 5000 },
    );
    assert.ok(parsed > 100, `${parsed} documents were valid`);
  });

  test("are found behind a string of a megabyte", () => {
    const long = "x".repeat(1_000_000);

    assert.equal(place(`a = "${long}"\nb = 1`, "b"), "2:1");
    assert.equal(place(`a = """${long}"""\nb = 1`, "b"), "2:1");
  });
});
