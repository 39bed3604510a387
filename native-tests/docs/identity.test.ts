import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { harbourBook, loginTokens } from "../../examples/identity/harbour.js";
import { assertShown } from "../support/shown-answer.js";
import { pageAt, textsIn } from "./page.js";

const page = pageAt("docs/identity.md");
const publicKey = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }) as string;

/** The texts of the page that are no program. */
const texts = textsIn(page, "text").map((text) => text.trimEnd());

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
        page.text.includes(`| \`${error.kind}\` | ${status ?? body.status} \`${error.code}\` |`),
        error.kind,
      );
    }
  });
});
