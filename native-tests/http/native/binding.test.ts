import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { isTestedBinary, load, nativeBinding } from "#http/native/binding.js";

const loader = (load: (name: string) => unknown) => Object.assign(load, { resolve: (name: string) => name });

describe("the native server", () => {
  test("is loaded, without its banner, from a binary that was tested", () => {
    const binding = nativeBinding();

    assert.match(binding.source, /^@uwsjs\/linux-x64-\d+@/);
    assert.equal(isTestedBinary(binding), true);
    assert.equal(nativeBinding(), binding);
  });

  test("is known by what its binary hashes to", () => {
    const folder = mkdtempSync(join(tmpdir(), "framework-"));
    writeFileSync(join(folder, "uws.node"), "something else");
    const at = { server: nativeBinding().server, file: join(folder, "index.js") };

    assert.equal(isTestedBinary({ ...at, source: "@uwsjs/linux-x64-20@20.51.4" }), false);
    assert.equal(
      isTestedBinary({ ...at, source: "@uwsjs/linux-x64-20@99.0.0" }),
      false,
      "a version nobody tested",
    );
    assert.equal(isTestedBinary({ ...at, source: "uWebSockets.js@20.51.0" }), undefined, "upstream's own");
    rmSync(folder, { recursive: true });
  });

  test("is looked for under every name, the application's own first", () => {
    const tried: string[] = [];
    const nothing = loader((name) => {
      tried.push(name);
      throw new Error("not there");
    });

    assert.throws(() => load(nothing), {
      code: "NATIVE_UNAVAILABLE",
      message: /run `npm install uWebSockets\.js@npm:@uwsjs\/linux-x64-\d+@[\d.]+`/,
    });
    assert.deepEqual(tried, [
      "uWebSockets.js",
      "uWebSockets.js-node22",
      "uWebSockets.js-node24",
      "uWebSockets.js-node26",
    ]);
  });

  test("is told how long a head may be before it is loaded: 16 KiB, or what is asked for", () => {
    delete process.env["UWS_HTTP_MAX_HEADERS_SIZE"];
    const seen: unknown[] = [];
    const nothing = loader(() => {
      seen.push(process.env["UWS_HTTP_MAX_HEADERS_SIZE"]);
      throw new Error("not there");
    });

    assert.throws(() => load(nothing));
    assert.throws(() => load(nothing, 8192));
    assert.deepEqual([...new Set(seen)], ["16384", "8192"]);
  });

  test("has one head limit for the process", () => {
    const binding = nativeBinding();

    assert.equal(nativeBinding(16_384), binding);
    assert.throws(() => nativeBinding(8192), {
      code: "CONFIG_CONFLICT",
      message: /to be 8192 bytes, .* has set it to 16384/,
    });
  });
});
