// docs/logging.md shows lines of programs. One format is shown by the program itself: programs.test.ts.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { app } from "../../examples/configured/app.js";
import { letters } from "../../examples/guards/access-log.js";
import { keepLog } from "../support/logged-ingress.js";
import { pageAt } from "./page.js";
import { settled } from "./settled.js";

const shownBelow = (title: string): string | undefined =>
  pageAt("docs/logging.md").blocks.find(({ above }) => above === title)?.text;

describe("docs/logging.md", () => {
  test("shows the line of the access log as a letter leaves it", async () => {
    const ingress = letters();
    const { text } = keepLog(ingress);
    const headers = {
      "x-request-id": "letter-17",
      "user-agent": "curl/8.5.0",
      "accept-language": "is",
      authorization: "Bearer k-81d2",
    };
    await new TestApp(ingress).get("/letters/magnus?page=2", { headers });

    assert.equal(settled(text()), shownBelow("What a letter leaves in the log:"));
  });

  for (const format of ["json", "pretty"] as const)
    test(`shows the lines of the kiosk in ${format} as its log has them`, async () => {
      const ingress = app();
      const { log, text } = keepLog(ingress, { format });
      log.info({ address: "127.0.0.1:8080" }, "the kiosk is open");
      const headers = { "x-request-id": "sale-17" };
      await new TestApp(ingress).post("/sales", { headers, json: { sku: "tea", cents: 500 } });

      assert.equal(settled(text()), shownBelow(`\`${format}\`:`));
    });
});
