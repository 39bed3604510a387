import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { describe, test } from "node:test";

import { endingSoon, isAsRead, readCredentials } from "#http/tls/credentials.js";
import { type TlsOptions, tlsPlan } from "#http/tls/tls-options.js";
import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { chainOf, type Issued, issue } from "../../support/issued-certificate.js";

const DAY = 86_400_000;
const folder = certificateFolder();
const { authority, own } = localCertificate();
const cert = folder.put("good.crt", own.cert);
const key = folder.put("good.key", own.key);

const read = (certFile: string, keyFile: string, options: TlsOptions = {}, now = Date.now()) =>
  readCredentials(tlsPlan(certFile, keyFile, options), now);

/** What is said of a pair: the file's name, and the rest. */
const refused = (certFile: string, keyFile: string, message: RegExp, options: TlsOptions = {}) =>
  assert.rejects(read(certFile, keyFile, options), { code: "TLS_INVALID", message });

describe("the files of a certificate", () => {
  test("are taken where they are well: RSA, EC and Ed25519, alone or with their chain", async () => {
    for (const kind of ["p256", "rsa2048", "ed25519"] as const) {
      const leaf = issue({ subject: kind, names: ["a.example"], issuer: authority, key: kind });
      const files = folder.pair(leaf, kind, authority);
      const { doubts, chains } = await read(files.cert, files.key);

      assert.deepEqual(doubts, []);
      assert.equal(chains[0]?.chain.length, 2);
    }
  });

  test("are taken with text between the blocks, and with the ends of lines of Windows", async () => {
    const text = `Subject: me\r\n${own.cert.replaceAll("\n", "\r\n")}more\r\n${authority.cert}`;

    const { chains } = await read(folder.put("text.crt", text), key);
    assert.equal(chains[0]?.chain.length, 2);
  });

  test("that cannot be read are named, with the reason", async () => {
    mkdirSync(folder.path("a-folder"));

    await refused(
      folder.path("none.crt"),
      key,
      /none\.crt: the certificate cannot be read \(ENOENT\); there is no such file/,
    );
    await refused(cert, folder.path("none.key"), /none\.key: the key cannot be read \(ENOENT\)/);
    await refused(folder.path("a-folder"), key, /a-folder: .*\(EISDIR\); it is a folder/);
    await refused(folder.put("large.crt", "x".repeat(1_048_577)), key, /large\.crt: it has 1048577 bytes/);
  });

  test("that go while they are read are named, too", async (t) => {
    const files = folder.pair(own, "going");
    const { stat } = fs;
    let looks = 0;
    t.mock.method(fs, "stat", async (file: string) => {
      if (file === files.key) looks += 1;
      if (looks === 2) rmSync(files.key);
      return stat(file);
    });
    syncBuiltinESMExports();
    try {
      await refused(files.cert, files.key, /going\.key: the key cannot be read \(ENOENT\)/);
    } finally {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    }
  });

  test("that are no PEM, or cut short, are named with the place", async () => {
    const half = own.cert.slice(0, own.cert.length / 2);

    await refused(folder.put("e.crt", ""), key, /e\.crt: it is empty/);
    await refused(
      folder.put("der.crt", "\x30\x82"),
      key,
      /der\.crt: it holds no PEM; .*openssl x509 -inform der/,
    );
    await refused(
      folder.put("half.crt", own.cert + half),
      key,
      /half\.crt: "BEGIN CERTIFICATE" in line \d+ has no end/,
    );
    await refused(folder.put("bom.crt", `\uFEFF${own.cert}`), key, /bom\.crt: .*byte order mark/);
    await refused(
      folder.put("bad.crt", `${own.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`),
      key,
      /bad\.crt: the certificate of line \d+ cannot be read/,
    );
    await refused(cert, folder.put("e.key", ""), /e\.key: it holds no PEM/);
    await refused(
      cert,
      folder.put("half.key", own.key.slice(0, 90)),
      /half\.key: "BEGIN PRIVATE KEY" in line 1 has no end/,
    );
  });

  test("that were given in the wrong order are told from each other", async () => {
    await refused(key, cert, /good\.key: .*a "PRIVATE KEY"; .*in the wrong order/);
    await refused(cert, cert, /good\.crt: .*no private key but a "CERTIFICATE"/);
    await refused(
      folder.put("request.crt", own.cert.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST")),
      key,
      /"CERTIFICATE REQUEST"; .*an authority is sent/,
    );
  });

  test("that do not belong together are both named", async () => {
    const other = issue({ subject: "other", issuer: authority });

    await refused(
      cert,
      folder.put("other.key", other.key),
      /other\.key: it is not the key of .*line 1 \(localhost\) in .*good\.crt/,
    );
  });

  test("must have each certificate before the one that has issued it, and signed it", async () => {
    const middle = issue({ subject: "Middle", issuer: authority, isAuthority: true });
    const leaf = issue({ subject: "leaf", names: ["a.example"], issuer: middle });
    const impostor = issue({
      subject: "Middle",
      issuer: authority,
      isAuthority: true,
      key: middle.privateKey,
    });
    const stranger = issue({ subject: "Middle", isAuthority: true });
    const forger = issue({ subject: "Middle", isAuthority: true, claims: middle.privateKey });
    const neighbour = issue({ subject: "neighbour", issuer: authority });
    const chain = (name: string, ...links: readonly Issued[]) => folder.put(name, chainOf(...links));
    const leafKey = folder.put("leaf.key", leaf.key);

    assert.ok(await read(chain("whole.crt", leaf, middle, authority), leafKey));
    assert.ok(await read(chain("same-key.crt", leaf, impostor), leafKey));
    await refused(
      chain("turned.crt", middle, leaf),
      leafKey,
      /turned\.crt: .*leaf\.key is the key of .*line \d+ \(leaf\); put that one first/,
    );
    await refused(
      chain("gap.crt", leaf, authority),
      leafKey,
      /gap\.crt: .*line 1 \(leaf\) is not issued by .*line \d+ \(Test Authority\), but by 'Middle'/,
    );
    await refused(chain("stranger.crt", leaf, stranger), leafKey, /stranger\.crt: .* is not issued by/);
    await refused(
      chain("forged.crt", leaf, forger),
      leafKey,
      /forged\.crt: .* is not signed by .*\(Middle\), .*the issuer's name alone/,
    );
    const child = issue({ subject: "child", issuer: neighbour });
    await refused(
      chain("no-authority.crt", child, neighbour),
      folder.put("child.key", child.key),
      /no-authority\.crt: .*\(neighbour\) may issue none/,
    );
  });

  test("must be valid now, each of the chain", async () => {
    const now = Date.now();
    const middle = issue({
      subject: "Middle",
      issuer: authority,
      isAuthority: true,
      from: now - 2 * DAY,
      until: now - DAY,
    });
    const leaf = issue({ subject: "leaf", issuer: middle });
    const early = issue({ subject: "early", issuer: authority, from: now + DAY });
    const late = issue({ subject: "late", issuer: authority, from: now - 2 * DAY, until: now - DAY });
    const earlyFiles = folder.pair(early, "early");
    const lateFiles = folder.pair(late, "late");

    await refused(
      earlyFiles.cert,
      earlyFiles.key,
      /early\.crt: .*\(early\) is not valid before .*; wait, or set the clock/,
    );
    await refused(
      lateFiles.cert,
      lateFiles.key,
      /late\.crt: .*\(late\) has expired on .*; give a renewed one/,
    );
    const stale = folder.pair(leaf, "stale", middle);
    await refused(stale.cert, stale.key, /stale\.crt: .*\(Middle\) has expired/);
    assert.ok(await read(lateFiles.cert, lateFiles.key, {}, now - DAY - 60_000));
  });

  test("must be of a strength that clients ask for", async () => {
    const weak = (name: string, request: Partial<Parameters<typeof issue>[0]>) =>
      folder.pair(issue({ subject: name, names: ["a.example"], issuer: authority, ...request }), name);
    const short = weak("short", { key: "rsa1024" });
    const odd = weak("odd", { key: "p224" });
    const broken = weak("broken", { digest: "sha1" });
    const mail = weak("mail", { purpose: "1.3.6.1.5.5.7.3.4" });

    await refused(short.cert, short.key, /short\.crt: .* has an RSA key of 1024 bits; clients ask for 2048/);
    await refused(odd.cert, odd.key, /odd\.crt: .* on the curve secp224r1/);
    await refused(broken.cert, broken.key, /broken\.crt: .* is signed with SHA-1/);
    await refused(mail.cert, mail.key, /mail\.crt: .* is not for servers: .* 1\.3\.6\.1\.5\.5\.7\.3\.4/);
    // How an authority has signed itself is nobody's concern.
    const old = issue({ subject: "Old Authority", digest: "sha1" });
    const files = folder.pair(issue({ subject: "new", names: ["a.example"], issuer: old }), "new", old);
    assert.ok(await read(files.cert, files.key));
  });

  test("need the passphrase of an encrypted key, and no other", async () => {
    const encrypted = createPrivateKey(own.key).export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "open",
    });
    const file = folder.put("closed.key", String(encrypted));

    assert.ok(await read(cert, file, { passphrase: "open" }));
    assert.ok(await read(cert, key, { passphrase: "not needed" }));
    await refused(cert, file, /closed\.key: the key is encrypted; give its passphrase/);
    await refused(cert, file, /closed\.key: the passphrase does not open/, { passphrase: "wrong" });
    await assert.rejects(
      read(cert, file, { passphrase: "hush-hush" }),
      (error: Error) => !error.message.includes("hush"),
    );
  });

  test("that serve a name must be for it", async () => {
    const wild = folder.pair(issue({ subject: "wild", names: ["*.b.example"], issuer: authority }), "wild");
    const named = (name: string) => ({ names: { [name]: wild } });

    for (const name of ["x.b.example", "*.b.example"]) assert.ok(await read(cert, key, named(name)));
    for (const name of ["b.example", "*.example", "x.y.b.example"])
      await refused(
        cert,
        key,
        new RegExp(
          `wild\\.crt: .*\\(wild\\) is not for '${name.replace("*", "\\*")}', but for DNS:\\*\\.b\\.example`,
        ),
        named(name),
      );
  });

  test("leave a doubt where browsers refuse them, or others may read the key", async () => {
    const nameless = folder.pair(issue({ subject: "nameless", issuer: authority }), "nameless");
    chmodSync(nameless.key, 0o644);

    const { doubts } = await read(nameless.cert, nameless.key);
    assert.match(doubts[0] ?? "", /nameless\.crt: .* has no subjectAltName/);
    assert.match(doubts[1] ?? "", /nameless\.key: every user .*; chmod 600/);
    chmodSync(nameless.key, 0o640);
    assert.equal((await read(nameless.cert, nameless.key)).doubts.length, 1);
  });

  test("are known to have changed since they were read", async () => {
    const files = folder.pair(own, "changing");
    const credentials = await read(files.cert, files.key);

    assert.ok(await isAsRead(credentials));
    writeFileSync(files.key, `${own.key}\n`);
    assert.equal(await isAsRead(credentials), false);
    assert.equal(
      await isAsRead({ ...credentials, pairs: [{ ...credentials.pairs[0], key: "/none" }] }),
      false,
    );
  });
});

describe("the end of a certificate", () => {
  const ending = async (lifeDays: number, leftDays: number) => {
    const now = Date.now();
    const from = now - (lifeDays - leftDays) * DAY;
    const leaf = issue({
      subject: "leaf",
      names: ["a.example"],
      issuer: authority,
      from,
      until: now + leftDays * DAY,
    });
    const files = folder.pair(leaf, "ending");
    return endingSoon(await read(files.cert, files.key, {}, from + 1000), now);
  };

  test("is told two weeks before, or in the last quarter of a shorter life", async () => {
    assert.deepEqual(await ending(90, 15), []);
    assert.match(
      (await ending(90, 13.5))[0] ?? "",
      /ending\.crt: .*\(leaf\) expires in 13 days, on .*; have it renewed/,
    );
    assert.deepEqual(await ending(6, 2), []);
    assert.match((await ending(6, 1.4))[0] ?? "", /expires in 1 days/);
    assert.match((await ending(6, 0.5))[0] ?? "", /expires within a day/);
    assert.match((await ending(6, -1))[0] ?? "", /has expired/);
  });
});

describe("the options of tls()", () => {
  const invalid = (message: RegExp, cert: unknown, key: unknown, options?: unknown) =>
    assert.throws(() => tlsPlan(cert as string, key as string, options as TlsOptions), {
      code: "CONFIG_INVALID",
      message,
    });

  test("name no host that the engine would pass over", () => {
    const named = (labels: number) => {
      const name = `*.${"a.".repeat(labels - 2)}b`;
      return { names: { [name]: { cert: "c", key: "k" } } };
    };

    assert.equal(tlsPlan("c", "k", named(10)).pairs.length, 2);
    invalid(/takes names of 10 parts at most/, "c", "k", named(11));
  });

  test("are refused where they are none", () => {
    invalid(/give the path .*with the certificate/, "", "k");
    invalid(/give the path .*with the key/, "c", undefined);
    invalid(/certificate .*PEM: write it to a file/, own.cert, "k");
    invalid(/no option 'pasphrase'.*passphrase/, "c", "k", { pasphrase: "x" });
    invalid(/checkEveryMs of tls\(\)/, "c", "k", { checkEveryMs: 9 });
    invalid(/names of tls\(\) is a table/, "c", "k", { names: [] });
    invalid(/passphrase is a text/, "c", "k", { passphrase: 1 });
    for (const name of ["B.example", "b.example:443", "a.*.b", "*", "", "127.0.0.1:1", "-a.b", "a..b"])
      invalid(/write a host name .*without a port/, "c", "k", {
        names: { [name]: { cert: "c", key: "k" } },
      });
    for (const name of ["127.0.0.1", "10.0.0.1"])
      invalid(/no address by SNI/, "c", "k", { names: { [name]: { cert: "c", key: "k" } } });
    invalid(/'b\.example': give the path .*with the key/, "c", "k", {
      names: { "b.example": { cert: "c" } },
    });
  });
});
