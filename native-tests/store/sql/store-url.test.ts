import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import { openStores } from "framework";

import { type StoreUrl, storeUrl } from "#store/sql/store-url.js";
import { certificateFolder } from "../../support/certificate-folder.js";

type PostgresUrl = Extract<StoreUrl, { kind: "postgres" }>;

function postgres(url: string): PostgresUrl {
  const parsed = storeUrl(url);
  assert.equal(parsed.kind, "postgres");
  return parsed as PostgresUrl;
}

const verified = { rejectUnauthorized: true };

describe("the URL of a store", () => {
  test("names a file of SQLite or memory", () => {
    assert.deepEqual(storeUrl("memory:"), { kind: "memory", shown: "memory:" });
    for (const file of ["app.db", "/var/lib/app.db", ".framework/app.db", "a b?c#d.db"])
      assert.deepEqual(storeUrl(`sqlite:${file}`), {
        ...{ kind: "sqlite", shown: `sqlite:${file}`, file },
      });
  });

  test("has parameters of its own, which pg does not see", () => {
    const parsed = postgres("postgresql://app@127.0.0.1:5433/runs?schema=shop&prefix=a_&sslmode=no-verify");

    assert.deepEqual(parsed, {
      kind: "postgres",
      shown: "postgresql://[redacted]@127.0.0.1:5433/runs?schema=shop&prefix=a_&sslmode=no-verify",
      urls: ["postgresql://app@127.0.0.1:5433/runs"],
      schema: "shop",
      prefix: "a_",
      ssl: { rejectUnauthorized: false },
    });
  });

  test("asks for a verified server wherever other machines could be in between", () => {
    const own = ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "[::1]", "%2Frun%2Fpostgresql"];
    for (const host of own) assert.equal(postgres(`postgres://app@${host}/runs`).ssl, false, host);
    assert.equal(postgres("postgres:///runs?host=/run/postgresql").ssl, false);
    const others = ["db", "db.example:5433", "10.0.0.5", "0.0.0.0", "[::]", "[2001:db8::1]", "localhost.db"];
    for (const host of [...others, "127.0.0.1.db", "%6cocalhost"])
      assert.deepEqual(postgres(`postgres://app@${host}/runs`).ssl, verified, host);
  });

  test("names several hosts, which are verified unless all of them are this machine", () => {
    const { urls, ssl, shown } = postgres(
      "postgres://app:pw@a.example:5433,b.example,[2001:db8::1]:5434/runs?schema=s",
    );

    assert.deepEqual(urls, [
      "postgres://app:pw@a.example:5433/runs",
      "postgres://app:pw@b.example/runs",
      "postgres://app:pw@[2001:db8::1]:5434/runs",
    ]);
    assert.deepEqual([ssl, shown.includes("pw")], [verified, false]);
    assert.equal(postgres("postgres://app@127.0.0.1:5433,localhost/runs").ssl, false);
    assert.deepEqual(postgres("postgres://app@127.0.0.1,db/runs").ssl, verified);
  });

  test("says how the server is verified", () => {
    const ca = certificateFolder().put("ca.crt", "a certificate");
    const modes: readonly (readonly [query: string, ssl: PostgresUrl["ssl"]])[] = [
      ["sslmode=disable", false],
      ["sslmode=no-verify", { rejectUnauthorized: false }],
      ["sslmode=verify-full", verified],
      [`sslmode=verify-full&sslrootcert=${ca}`, { ...verified, ca: "a certificate" }],
      [`sslrootcert=${ca}`, { ...verified, ca: "a certificate" }],
    ];

    for (const host of ["db.example", "localhost"])
      for (const [query, ssl] of modes)
        assert.deepEqual(postgres(`postgres://app@${host}/runs?${query}`).ssl, ssl, query);
  });

  test("is refused where it is mistaken, in words that name the remedy and show no password", () => {
    const refused: readonly (readonly [url: string, message: RegExp])[] = [
      [
        "mysql://app:hunter22@db/runs",
        /openStores: its URL is none of sqlite:PATH, postgres:\/\/USER@HOST\/DATABASE or memory:/,
      ],
      ["sqlite:", /write sqlite:PATH/],
      ["sqlite::memory:", /in memory it is memory:/],
      ["sqlite://app:hunter22@db/runs", /write sqlite:PATH/],
      ["sqlite:a\0b", /write sqlite:PATH/],
      ["postgres://app:hunter22/x@db/runs", /percent-encode/],
      ["postgres://app:22/hunter22@db/runs", /percent-encode/],
      ["postgres://app:22?hunter22@db/runs", /percent-encode/],
      ["postgres://app:22#hunter22@db/runs", /percent-encode/],
      ["postgres://app:hunter22@/runs", /percent-encode/],
      ["postgres:///runs", /it names no host/],
      ["postgres://app:hunter22@db/runs?password=hunter22", /'password' is no parameter; there are schema,/],
      ["postgres://app:hunter22@db/runs?pw=hunter22", /'pw' is no parameter/],
      ["postgres://app:hunter22@db/runs?sslmode=required", /'required' .*disable, no-verify and verify-full/],
      [
        "postgres://app:hunter22@db/runs?sslmode=require",
        /require does not check who answers.*use verify-full/,
      ],
      ["postgres://app:hunter22@db/runs?sslmode=verify-ca", /or not under which name: use verify-full/],
      ["postgres://app:hunter22@a,/runs", /cannot be read/],
      ["postgres://app:hunter22@a,b:x/runs", /cannot be read/],
      ["postgres://app:hunter22@a,b/runs?host=/run/postgresql", /hosts stand before the path/],
      ["postgres://app:hunter22@db/runs?sslmode=disable&sslmode=verify-full", /sslmode is given twice/],
      ["postgres://app:hunter22@localhost/runs?host=db", /folder of a unix socket/],
      ["postgres://app:hunter22@db/runs?sslrootcert=/nowhere.crt", /sslrootcert cannot be read/],
      ["postgres://app:hunter22@db/runs?sslmode=no-verify&sslrootcert=/nowhere.crt", /use verify-full/],
      ["postgres://app:hunter22@db/runs?schema=Shop", /schema 'Shop'.*use 1 to 41 lower-case letters/],
      ["postgres://app:hunter22@db/runs?schema=a%22b", /use 1 to 41 lower-case letters/],
      ["postgres://app:hunter22@db/runs?prefix=1", /prefix '1'/],
    ];

    for (const [url, message] of refused)
      assert.throws(
        () => openStores(url),
        (error: Error & { readonly code?: string }) => {
          assert.equal(error.code, "CONFIG_INVALID", url);
          assert.match(error.message, message);
          assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hunter/, url);
          return true;
        },
      );
  });
});
