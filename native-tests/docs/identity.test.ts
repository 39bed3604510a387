import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { harbourBook, loginTokens } from "../../examples/identity/harbour.js";
import { assertShown } from "../support/shown-answer.js";

const page = readFileSync("docs/identity.md", "utf8");
const publicKey = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }) as string;

/** The texts of the page that are no program. */
const texts = [...page.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text.trimEnd());

describe("docs/identity.md", () => {
  const book = harbourBook(loginTokens(publicKey));

  test("draws an Axon as it is", () => {
    const { iam } = book.routes().find(({ method }) => method === "DELETE") ?? {};
    const { policy, verifier, token } = iam ?? assert.fail("it asks for nothing");

    assert.equal(texts[0], `policy    ${policy}\nverifier  ${verifier}\ntoken     ${token}`);
  });

  test("shows a refusal as it is answered", async () => {
    const refused = await new TestApp(book).get("/entries", { headers: { authorization: "Bearer x" } });

    assertShown(texts[1] ?? "", refused);
  });

  test("says of each refusal what the answer is", async () => {
    const { IamError } = await import("framework/core");
    const errors = [
      IamError.missingToken(),
      IamError.invalidToken(""),
      IamError.expired(),
      IamError.insufficientRole(""),
      IamError.missingClaims(""),
      IamError.verifierUnavailable(""),
    ];

    for (const error of errors) {
      const { status, body } = error.toReply();
      assert.ok(
        page.includes(`| \`${error.kind}\` | ${status ?? body.status} \`${error.code}\` |`),
        error.kind,
      );
    }
  });
});
