// The examples hold what they declare, for requests drawn from their schemas.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fuzz } from "framework/fuzz";

import { exampleApplications } from "../../support/example-applications.js";

/** Each application of this one starts threads. */
const SLOW: Readonly<Record<string, number>> = { thumbnails: 8 };

/** A 500 that the example shows. */
const SHOWN: Readonly<Record<string, string>> = { "answers/faults": "GET /plain/:crossing" };

describe("an example that is fuzzed", () => {
  for (const [name, application] of Object.entries(exampleApplications))
    test(`answers as it declares: ${name}`, async () => {
      const { failures, routes } = await fuzz(application, {
        seed: 1,
        runs: SLOW[name] ?? 60,
        patienceMs: 120_000,
        slowMs: 120_000,
      });

      assert.deepEqual(
        failures.filter(({ route }) => route !== SHOWN[name]),
        [],
      );
      assert.ok(routes.length > 0 && routes.every(({ unanswered }) => unanswered === 0));
    });
});
