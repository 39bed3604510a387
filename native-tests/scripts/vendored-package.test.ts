// How files of registry packages are taken into a build, with a stand-in for npm.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { vendoredFiles } = await import(fromRoot("scripts/vendored-package.mjs"));

describe("files of a vendored package", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-vendored-"));
  const bin = join(folder, "bin");
  const kept = join(folder, "vendor", "page-1.0.0.tgz");
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => rmSync(join(folder, "vendor"), { recursive: true, force: true }));

  /** A tarball with one file, page.js. */
  function tarball(text: string): string {
    mkdirSync(join(folder, "package"), { recursive: true });
    writeFileSync(join(folder, "package", "page.js"), text);
    const file = join(folder, `${text}.tgz`);
    execFileSync("tar", ["-czf", file, "-C", folder, "package/page.js"]);
    return file;
  }

  const good = tarball("good");
  const other = tarball("other");
  const vendored = {
    name: "page",
    version: "1.0.0",
    sha512: createHash("sha512").update(readFileSync(good)).digest("base64"),
  };

  /** The text of page.js where `npm pack` fetches this tarball, or fails. */
  function taken(fetched: string | undefined): string {
    mkdirSync(bin, { recursive: true });
    const copy = `cp ${fetched} "$4/page-1.0.0.tgz"`;
    const text = fetched === undefined ? "echo 'no network' >&2; exit 1" : copy;
    writeFileSync(join(bin, "npm"), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const { PATH } = process.env;
    process.env["PATH"] = `${bin}:${PATH}`;
    try {
      return vendoredFiles(vendored, ["page.js"], join(folder, "vendor"))[0];
    } finally {
      process.env["PATH"] = PATH;
    }
  }

  test("are fetched once, and need no network from then on", () => {
    assert.equal(taken(good), "good");
    assert.equal(taken(undefined), "good");
  });

  test("are refused where the tarball is another one, which is not kept", () => {
    assert.throws(() => taken(other), /page@1\.0\.0 as fetched does not have the SHA-512/);
    assert.ok(!existsSync(kept));
  });

  test("are fetched again where the kept tarball was changed", () => {
    taken(good);
    cpSync(other, kept);

    assert.equal(taken(good), "good");
  });

  test("say why where they cannot be fetched", () => {
    assert.throws(
      () => taken(undefined),
      /page@1\.0\.0 could not be taken from the registry by npm: no network/,
    );
  });
});
