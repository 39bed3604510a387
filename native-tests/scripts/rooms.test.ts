// The rooms of src: `npm run rooms`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { circleComplaints, folderComplaints, lostComplaints, orderComplaints } = await import(
  fromRoot("scripts/rooms/complaints.mjs")
);
const { readImports } = await import(fromRoot("scripts/rooms/imports.mjs"));
const { TOP } = await import(fromRoot("scripts/rooms/order.mjs"));
const { specifiersOf } = await import(fromRoot("scripts/rooms/specifiers.mjs"));

type Arrow = readonly [from: string, to: string, isLazy?: boolean];

const arrows = (...of: readonly Arrow[]) =>
  of.map(([from, to, isLazy = false]) => ({ from: `src/${from}`, to: `src/${to}`, isLazy }));

describe("the imports of a module", () => {
  const from = (code: string) =>
    specifiersOf("src/a.ts", code).map(
      ({ specifier, isLazy }: { specifier: string; isLazy: boolean }) =>
        `${isLazy ? "lazy " : ""}${specifier}`,
    );

  for (const [name, code] of [
    ["a value", 'import { a } from "./b.js";'],
    ["a type", 'import type { A } from "./b.js";'],
    ["nothing", 'import "./b.js";'],
    ["a value that goes on", 'export { a } from "./b.js";'],
    ["a type that goes on", 'export type { A } from "./b.js";'],
    ["all that goes on", 'export * from "./b.js";'],
    ["a type in its place", 'export type A = import("./b.js").A;'],
    ["several lines", 'import {\n  a, // from "./c.js"\n  type B,\n} from "./b.js";'],
  ] as const)
    test(`are those of ${name}`, () => {
      assert.deepEqual(new Set(from(code)), new Set(["./b.js"]));
    });

  test("are lazy where they wait, and where they are the type of what waits", () => {
    assert.deepEqual(from('await import("./b.js");'), ["lazy ./b.js"]);
    assert.deepEqual(from("await import(`./b.js`);"), ["lazy ./b.js"]);
    assert.deepEqual(from('type B = keyof typeof import("./b.js");'), ["lazy ./b.js"]);
  });

  test("are no texts and comments", () => {
    assert.deepEqual(from('// import "./b.js";\nconst a = \'import("./b.js")\';\nimport(a);'), []);
  });

  test("cannot be read of a broken one, which is named", () => {
    assert.throws(() => from("import {"), /^Error: src\/a\.ts: .*: mend its syntax$/);
  });
});

describe("the files of src", () => {
  let root = "";
  const write = (file: string, code: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), code);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "framework-rooms-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test("are found by their folder, by the name of a layer, and as what they are compiled to", () => {
    write("src/core/a.ts", 'import "./b.js"; import "#ui/c.js"; import "../ui/c.css"; import "node:fs";');
    write("src/core/b.ts", 'await import("./a.js"); import type { A } from "./a.js";');
    write("src/ui/c.tsx", "");
    write("src/ui/c.css", "");

    assert.deepEqual(readImports(root), {
      imports: arrows(
        ["core/a.ts", "core/b.ts"],
        ["core/a.ts", "ui/c.tsx"],
        ["core/a.ts", "ui/c.css"],
        ["core/b.ts", "core/a.ts"],
      ),
      lost: [],
    });
  });

  test("are refused where an import leads nowhere", () => {
    write("src/core/a.ts", 'import "./b.js";');

    assert.deepEqual(lostComplaints(readImports(root).lost), [
      "src/core/a.ts: imports ./b.js, which is no file: mend the path",
    ]);
  });

  test("fail the command, which says why", () => {
    write("src/core/a.ts", 'import type { B } from "./b.js";');
    write("src/core/b.ts", 'import type { A } from "./a.js";');
    mkdirSync(join(root, "native-tests"));
    const script = fromRoot("scripts/rooms.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: root, encoding: "utf8" });

    assert.equal(status, 1);
    assert.match(stderr, /^src\/core\/a\.ts: a circle of imports \(types count\), .*: move /m);
  });
});

describe("circles of imports", () => {
  const circles = (...of: readonly Arrow[]): readonly string[] => circleComplaints(arrows(...of));

  test("are refused, each by its shortest and with the number of other files", () => {
    const path: readonly Arrow[] = [
      ["std/a.ts", "std/b.ts"],
      ["std/b.ts", "std/c.ts"],
      ["std/c.ts", "std/a.ts"],
      ["std/c.ts", "std/b.ts"],
      ["std/z.ts", "std/a.ts"],
    ];

    assert.deepEqual(circles(...path), [
      "src/std/b.ts: a circle of imports (types count), src/std/b.ts -> src/std/c.ts -> src/std/b.ts, and 1 more files in circles with them: move what both must know, often a type, to a file below both",
    ]);
    assert.equal(circles(...path, ["core/a.ts", "core/a.ts"]).length, 2);
  });

  test("are none where an arrow is lazy, or there is no way back", () => {
    assert.deepEqual(circles(["std/a.ts", "std/b.ts"], ["std/b.ts", "std/a.ts", true]), []);
    assert.deepEqual(circles(["std/a.ts", "std/b.ts"], ["std/c.ts", "std/b.ts"]), []);
  });
});

describe("the order of rooms", () => {
  const ROOMS = { std: ["low", "high/base", "high", TOP], core: ["only"] };
  const FILES = ["core/only/a.ts", "std/low/a.ts", "std/high/base/b.ts", "std/high/more/c.ts", "std/d.ts"];

  const refused = (files: readonly string[], ...of: readonly Arrow[]) =>
    orderComplaints(
      arrows(...of),
      [...FILES, ...files].map((file) => `src/${file}`),
      ROOMS,
    );

  test("lets a room import those before it, and its own files", () => {
    assert.deepEqual(
      refused(
        [],
        ["std/d.ts", "std/high/more/c.ts"],
        ["std/high/more/c.ts", "std/high/base/b.ts"],
        ["std/high/more/c.ts", "std/high/e.ts"],
        ["std/high/base/b.ts", "std/low/a.ts"],
        ["std/low/a.ts", "core/only/a.ts"],
      ),
      [],
    );
  });

  test("refuses a later one, lazy or not, also of a room within another", () => {
    assert.deepEqual(refused([], ["std/low/a.ts", "std/high/more/c.ts", true]), [
      "src/std/low/a.ts: imports src/std/high/more/c.ts, but in std low comes before high: move what both must know to low or below, or hand it in",
    ]);
    assert.equal(refused([], ["std/high/base/b.ts", "std/high/more/c.ts"]).length, 1);
    assert.equal(refused([], ["std/high/more/c.ts", "std/d.ts"]).length, 1);
  });

  test("lets index.ts import all, and nothing of its layer import it", () => {
    assert.deepEqual(refused(["std/index.ts"], ["std/index.ts", "std/d.ts"]), []);
    assert.deepEqual(refused([], ["std/d.ts", "std/index.ts"]), [
      "src/std/d.ts: imports src/std/index.ts, which is for other layers: import the file that declares it",
    ]);
  });

  test("refuses folders that it does not have, once each, and rooms that there are not", () => {
    assert.deepEqual(refused(["std/odd/a.ts", "std/odd/b.ts", "core/index.ts", "core/a.ts"]), [
      "src/std/odd: is in no room of std: move it to one, or add it to the order in scripts/rooms/order.mjs",
      "src/core: has files beside index.ts, and the order of core has none: move them to a room",
    ]);
    assert.deepEqual(orderComplaints([], ["src/core/only/a.ts"], { core: ["only", "more"] }), [
      "scripts/rooms/order.mjs: core has no more: take it from the order",
    ]);
  });
});

describe("folders of many files", () => {
  test("are refused, folders below them not counted", () => {
    const files = ["src/a/1.ts", "src/a/2.css", "src/a/3.tsx", "src/a/b/4.ts", "tests/1.ts", "tests/2.ts"];

    assert.deepEqual(folderComplaints(files, 2, []), [
      "src/a: has 3 files, and 2 are the most: split it by idea",
    ]);
    assert.deepEqual(folderComplaints(files, 1, ["src/a"]).length, 1);
  });
});
