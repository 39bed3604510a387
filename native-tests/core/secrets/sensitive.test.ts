import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { isSensitive, markOf, Public, Sensitive } from "#core/secrets/sensitive.js";

describe("Sensitive and Public", () => {
  test("write the keyword, and leave the schema that they are given as it is", () => {
    const schema = Type.String();
    const plain = (marked: object) => JSON.parse(JSON.stringify(marked));

    assert.deepEqual(plain(Sensitive(schema)), { type: "string", "x-sensitive": true });
    assert.deepEqual(plain(Sensitive(schema, { level: "restricted", category: "email" })), {
      type: "string",
      "x-sensitive": { level: "restricted", category: "email" },
    });
    assert.deepEqual(plain(Sensitive(schema, {})), {
      type: "string",
      "x-sensitive": { level: "confidential" },
    });
    assert.deepEqual(plain(Public(schema)), { type: "string", "x-sensitive": { level: "public" } });
    assert.deepEqual(plain(schema), { type: "string" });
  });

  test("a mark that says less keeps what the schema says", () => {
    const email = Sensitive(Type.String(), { level: "restricted", category: "email" });

    assert.deepEqual(markOf(Sensitive(email)), { level: "restricted", category: "email" });
    assert.deepEqual(markOf(Sensitive(Sensitive(Type.String()), { category: "email" })), {
      level: "confidential",
      category: "email",
    });
    assert.deepEqual(markOf(Sensitive(email, { level: "restricted" })), {
      level: "restricted",
      category: "email",
    });
  });

  test("a second mark that disagrees is refused with both", () => {
    const email = Sensitive(Type.String(), { category: "email" });
    const refused = (make: () => unknown, message: RegExp) =>
      assert.throws(make, { code: "CONFIG_INVALID", message });

    refused(() => Public(email), /marked confidential \(email\) already, and not public: mark it once/);
    refused(() => Sensitive(Public(Type.String())), /marked public already/);
    refused(() => Sensitive(Public(Type.String()), { category: "email" }), /use Public\(schema\) alone/);
    refused(() => Sensitive(email, { level: "restricted" }), /and not restricted \(email\)/);
    refused(() => Sensitive(email, { category: "phone" }), /and not confidential \(phone\)/);
  });

  test("unknown levels and options are refused with the remedy", () => {
    const refused = (options: object, message: RegExp) =>
      assert.throws(() => Sensitive(Type.String(), options), { code: "CONFIG_INVALID", message });

    refused({ level: "restrited" }, /no level "restrited"; did you mean restricted\?/);
    refused({ level: "top" }, /use one of public, internal, confidential, restricted/);
    refused({ level: "public" }, /use Public\(schema\)/);
    refused({ kind: "email" }, /'kind' is no option; there are level, category/);
    refused({ category: " " }, /a category is a text/);
  });

  test("every mark but public is masked, and an unexpected one counts as restricted", () => {
    const by = (mark: unknown) => ({ "x-sensitive": mark });

    for (const mark of [
      true,
      { level: "internal" },
      "public",
      { level: "publik" },
      0,
      null,
      { level: "public", x: 1 },
    ])
      assert.equal(isSensitive(by(mark)), true, JSON.stringify(mark));
    for (const mark of [undefined, false, { level: "public" }]) assert.equal(isSensitive(by(mark)), false);
    assert.deepEqual(markOf(by("public")), { level: "restricted" });
    assert.deepEqual(markOf(by(true)), { level: "confidential" });
    assert.equal(markOf(by(false)), undefined);
  });
});
