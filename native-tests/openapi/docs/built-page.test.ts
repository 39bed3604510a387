// The files of the page as they are shipped.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";

import { builtDocsPage } from "../../support/built-page.js";

const MOST_BYTES = 500 * 1024;

describe("the built files of docs()", () => {
  let folder: string;
  let assets: readonly string[];
  const read = (name: string): Buffer => readFileSync(join(folder, "assets", name));
  before(async () => {
    folder = await builtDocsPage();
    assets = readdirSync(join(folder, "assets")).sort();
  });

  test("are a script and a style, named by their content, each with a compressed copy, 500 KB together", () => {
    assert.equal(assets.length, 4);
    let bytes = 0;
    for (const name of assets.filter((one) => !one.endsWith(".gz"))) {
      const hash = createHash("sha256").update(read(name)).digest("hex").slice(0, 16);
      assert.match(name, new RegExp(`^docs\\.${hash}\\.(js|css)$`));
      const compressed = read(`${name}.gz`);
      assert.ok(gunzipSync(compressed).equals(read(name)), name);
      bytes += compressed.length;
    }
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  });

  test("name no source map, and no file elsewhere in their style", () => {
    for (const name of assets.filter((one) => !one.endsWith(".gz")))
      assert.doesNotMatch(read(name).toString(), /^\/[/*][#@] sourceMappingURL/m, name);
    const style = read(assets.find((name) => name.endsWith(".css")) ?? "").toString();
    assert.doesNotMatch(style, /@import|url\((?!"?data:)/);
  });

  test("have the licences of what they are made of beside them", () => {
    const beside = readdirSync(folder).filter((name) => name !== "assets");
    assert.deepEqual(beside.sort(), ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"]);
    assert.match(readFileSync(join(folder, "LICENSE"), "utf8"), /Apache License/);
  });
});
