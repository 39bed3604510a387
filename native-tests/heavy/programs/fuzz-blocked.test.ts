// What ends the process that fuzzes is found, and named by its route, whatever the seed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { folderWith } from "../../support/config-folder.js";
import { moduleOf } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";

const app = moduleOf("native-tests/support/slow-app.ts");
const BLOCKED = /^a step blocks the event loop: no response within 1050 ms$/;

describe("framework fuzz", () => {
  for (const [route, seed, message] of [
    ["POST /words", "1", BLOCKED],
    ["POST /words", "2", BLOCKED],
    ["POST /words", "3", BLOCKED],
    ["POST /seen", "4", BLOCKED],
    ["GET /asked", "5", BLOCKED],
    ["POST /spins", "6", BLOCKED],
    ["POST /exits", "7", /^the process ended with exit code 3 within the request$/],
  ] as const)
    test(`finds what ends its process in ${route}, with seed ${seed}`, async () => {
      const out = join(folderWith({}), "found.test.mjs");
      const args = ["--route", route, "--seed", seed, "--slow-ms", "50", "--out", out];
      const { status, stdout } = await runCommand(["fuzz", app, ...args]);

      assert.equal(status, 1, stdout);
      const [, found = ""] = new RegExp(`^${route}: (.*) \\(once\\)$`, "m").exec(stdout) ?? [];
      assert.match(found, message, stdout);
      assert.match(readFileSync(out, "utf8"), /"slowMs":50/);
    });
});
