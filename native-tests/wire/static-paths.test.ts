// Targets of files over a socket that want out of the folder that is served.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import fc from "fast-check";

import { until } from "../support/patience.js";
import { served } from "../support/served.js";
import { emptyFolder } from "../support/site.js";
import { ingress } from "../support/static-ingress.js";
import { get, talk } from "../support/wire.js";

const SECRET = "SECRET-OUTSIDE";

describe("files over a socket", () => {
  const parent = emptyFolder();
  const root = join(parent, "www");
  before(() => {
    for (const folder of ["sub/.git", ".framework"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(parent, "secret.txt"), SECRET);
    mkdirSync(join(parent, "www-private"));
    writeFileSync(join(parent, "www-private/secret.txt"), SECRET);
    writeFileSync(join(root, "a.txt"), "A");
    writeFileSync(join(root, ".env"), SECRET);
    writeFileSync(join(root, "sub/.git/config"), SECRET);
    // Where stores in SQLite are by default.
    for (const name of ["app.db", "app.db-wal"]) writeFileSync(join(root, ".framework", name), SECRET);
    writeFileSync(join(root, "sub/b.txt"), "B");
    symlinkSync("../secret.txt", join(root, "link.txt"));
    symlinkSync("..", join(root, "up"));
    symlinkSync("/", join(root, "slash"));
  });
  const server = served(ingress, { folder: root });

  const open = async (): Promise<number> => {
    const { replies } = await talk(server.address, get("/facts"), { until: 1 });
    return JSON.parse(replies[0]?.body ?? "null").openFiles;
  };

  test("stay below their root, however a target spells the way out", async () => {
    const ups = [
      "..",
      "%2e%2e",
      "%2E.",
      ".%2e",
      "%252e%252e",
      "..%2f",
      "..%5c",
      "..\\",
      "%c0%ae%c0%ae",
      "%e0%80%ae%e0%80%ae",
      "..;",
      "..%00",
      "..%20",
      "..%09",
      "...",
      "....//",
      "%uff0e%uff0e",
      "%ef%bc%8e%ef%bc%8e",
      "up",
      "slash",
      "sub/..",
      "./..",
      "//..",
    ];
    const targets = ups.flatMap((up) => [
      `/static/${up}/secret.txt`,
      `/static/${up}secret.txt`,
      `/static/sub/${up}/${up}/secret.txt`,
      `/static/${up}/www-private/secret.txt`,
      `/static/${up}/www/.env`,
      `/disk/${up}/secret.txt`,
    ]);
    const others = [
      "/static/link.txt",
      "/static/.env",
      "/static/%2eenv",
      "/static/.env%00.txt",
      "/static/.env.",
      "/static/a.txt/../.env",
      "/static/sub/.git/config",
      "/static/.framework/app.db",
      "/static/%2eframework/app.db-wal",
      "/static/sub/../.framework/app.db",
      "/static//etc/passwd",
      "/static/%2fetc/passwd",
      "/static/C:/secret.txt",
      "/static/a.txt::$DATA",
      "/static/file:///etc/passwd",
      "/static\\..\\secret.txt",
      "/static../secret.txt",
      "/static/..",
      "/static-private/secret.txt",
      `/static/${"../".repeat(200)}etc/passwd`,
      `/static/${"a/".repeat(3000)}`,
      `/static/${"a".repeat(4000)}`,
    ];
    for (const target of [...targets, ...others]) {
      const { raw, replies } = await talk(server.address, get(target), { until: 1 });

      assert.ok(!raw.includes(SECRET) && !raw.includes("root:"), target);
      assert.ok([400, 404].includes(replies[0]?.status ?? 0), `${target}: ${replies[0]?.status}`);
    }
    await until("none is open", async () => (await open()) === 0);
  });

  test("stay below their root, whatever a target is made of", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        "%2e%2e",
        "%2f",
        "/",
        "//",
        "\\",
        "%5c",
        "up",
        "slash",
        "sub",
        "secret.txt",
        "www-private",
        ".env",
        "%00",
        "%",
        ";",
        "?",
        "a.txt",
        "link.txt",
        "etc",
        "passwd",
      ),
      fc.string({ maxLength: 3 }).map(encodeURIComponentSafely),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (pieces, slashes) => {
          const target = `/static/${pieces.join(slashes ? "/" : "")}`.replace(/[^!-~]/g, "");
          const { raw, replies } = await talk(server.address, get(target), { until: 1 });
          assert.ok(!raw.includes(SECRET) && !raw.includes("root:"), target);
          assert.ok([200, 301, 400, 404].includes(replies[0]?.status ?? 0), target);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function encodeURIComponentSafely(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return "";
  }
}
