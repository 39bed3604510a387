// scripts/dev-cert.mjs, as somebody calls it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { readCredentials } from "#http/tls/credentials.js";
import { tlsPlan } from "#http/tls/tls-options.js";

const folder = mkdtempSync(join(tmpdir(), "dev-cert-"));
after(() => rmSync(folder, { recursive: true }));

const devCert = (...args: readonly string[]) =>
  spawnSync(
    process.execPath,
    ["--conditions=framework-source", "--import", "tsx", "scripts/dev-cert.mjs", ...args],
    { encoding: "utf8" },
  );

const certificate = (name: string) => new X509Certificate(readFileSync(join(folder, "certs", name)));

describe("npm run dev-cert", () => {
  const out = join(folder, "certs");

  test("makes a certificate that a server takes, and keeps its keys to itself", async () => {
    const { status, stdout } = devCert("dev.example", "192.0.2.1", "--out", out);

    assert.equal(status, 0);
    assert.match(stdout, /trust it: .*authority\.crt/);
    const plan = tlsPlan(join(out, "server.crt"), join(out, "server.key"), {
      names: { "dev.example": { cert: join(out, "server.crt"), key: join(out, "server.key") } },
    });
    assert.deepEqual((await readCredentials(plan, Date.now())).doubts, []);
    for (const name of ["localhost", "dev.example"]) assert.ok(certificate("server.crt").checkHost(name));
    for (const ip of ["127.0.0.1", "::1", "192.0.2.1"]) assert.ok(certificate("server.crt").checkIP(ip));
    for (const name of ["server.key", "authority.key"])
      assert.equal(statSync(join(out, name)).mode & 0o777, 0o600);
  });

  test("makes the next one with the authority that was trusted, unless another is asked for", () => {
    const trusted = certificate("authority.crt").fingerprint256;
    const first = certificate("server.crt").fingerprint256;

    assert.equal(devCert("--out", out).status, 0);
    assert.equal(certificate("authority.crt").fingerprint256, trusted);
    assert.notEqual(certificate("server.crt").fingerprint256, first);
    assert.ok(certificate("server.crt").verify(certificate("authority.crt").publicKey));
    assert.equal(devCert("--out", out, "--new-authority").status, 0);
    assert.notEqual(certificate("authority.crt").fingerprint256, trusted);
  });

  test("signs with no authority whose key is damaged or another one's, and says what to do", () => {
    const key = join(out, "authority.key");
    for (const text of ["", readFileSync(join(out, "server.key"), "utf8")]) {
      writeFileSync(key, text);
      const { status, stderr } = devCert("--out", out);

      assert.equal(status, 1);
      assert.match(
        stderr,
        /authority\.crt and authority\.key are no pair .*; --new-authority makes both anew/,
      );
    }
    assert.equal(devCert("--out", out, "--new-authority").status, 0);
    assert.ok(certificate("server.crt").verify(certificate("authority.crt").publicKey));
  });

  test("says how it is called, and what was wrong", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");

    assert.match(devCert("--help").stdout, /^npm run dev-cert/);
    for (const args of [
      ["Up.example"],
      ["--color"],
      ["a b"],
      ["999.1.1.1"],
      ["..."],
      [":"],
      ["127.0.0.1."],
    ]) {
      const { status, stderr } = devCert(...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, /npm run dev-cert/);
    }
    const { status, stderr } = devCert("--out", file);
    assert.equal(status, 1);
    assert.match(stderr, /file: /);
  });
});
