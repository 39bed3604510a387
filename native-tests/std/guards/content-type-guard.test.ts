import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, header, isFault, RequestMethod } from "framework";
import { ContentTypeGuard } from "framework/std";

interface Sent {
  readonly type?: string;
  readonly length?: string;
  readonly coding?: string;
  readonly method?: string;
}

/** The reply to a request; undefined where it is let in. */
function refusal(accepted: readonly string[], { type, length = "2", coding, method = "POST" }: Sent) {
  const axon = Axon.start<string>("typed").then(new ContentTypeGuard(accepted));
  const bus = Bus.of([
    [RequestMethod, method],
    ...(type === undefined ? [] : [[header("content-type"), type] as const]),
    ...(length === "" ? [] : [[header("content-length"), length] as const]),
    ...(coding === undefined ? [] : [[header("transfer-encoding"), coding] as const]),
  ]);
  const outcome = axon.execute("input", bus);
  if (!isFault(outcome)) {
    assert.equal(outcome, "input");
    return undefined;
  }
  assert.ok("toReply" in outcome.error);
  return outcome.error.toReply();
}

const takes = (accepted: readonly string[], type: string | undefined): boolean =>
  refusal(accepted, type === undefined ? {} : { type }) === undefined;

describe("ContentTypeGuard", () => {
  test("takes the types it names, in any case and with any parameters", () => {
    const json = ["Application/JSON"];
    for (const type of ["application/json", "APPLICATION/json", "application/json ; charset=utf-8"])
      assert.ok(takes(json, type), type);
    for (const type of ["application/jsonx", "text/json", "application/ld+json", "text/plain"])
      assert.ok(!takes(json, type), type);
  });

  test("takes all types of a kind", () => {
    for (const type of ["image/png", "image/svg+xml", "Image/JPEG"])
      assert.ok(takes(["image/*"], type), type);
    for (const type of ["images/png", "text/image/", "imagex/png"])
      assert.ok(!takes(["image/*"], type), type);
  });

  test("takes all types that are written in a syntax, and not the syntax itself", () => {
    const suffixed = ["application/*+json"];

    assert.ok(takes(suffixed, "application/problem+json"));
    for (const type of ["application/json", "text/problem+json", "application/problem+jsonx"])
      assert.ok(!takes(suffixed, type), type);
  });

  test("refuses a body whose type is missing, malformed or more than one", () => {
    for (const type of [undefined, "", "json", "application/", "application/json, text/html", "*/*"])
      assert.ok(!takes(["application/json", "text/*"], type), type);
  });

  test("lets pass what has no body, whatever it is said to be", () => {
    for (const length of ["", "0", "00"])
      assert.equal(refusal(["application/json"], { type: "text/plain", length }), undefined);
    const chunked = { type: "text/plain", length: "", coding: "chunked" };
    assert.equal(refusal(["application/json"], chunked)?.status, 415);
  });

  test("says what it takes, in the header that fits the method and in the problem", () => {
    const accepted = ["application/json", "image/*", "application/*+json"];
    for (const [method, name] of [
      ["POST", "accept-post"],
      ["PATCH", "accept-patch"],
      ["PUT", "accept"],
      ["DELETE", "accept"],
    ] as const) {
      const reply = refusal(accepted, { type: "text/plain", method });

      assert.deepEqual({ ...reply?.headers }, { [name]: ["application/json, image/*"] });
      assert.equal(reply?.body.code, "CONTENT_TYPE_REFUSED");
      assert.deepEqual(reply.body.extensions, { accepted });
    }
    assert.deepEqual({ ...refusal(["application/*+json"], { type: "a/b" })?.headers }, {});
  });

  test("refuses what is no list of texts", () => {
    for (const accepted of ["application/json", undefined, [1]])
      assert.throws(() => new ContentTypeGuard(accepted as never), {
        code: "CONFIG_INVALID",
        message: /accepted is no list of texts/,
      });
  });

  test("refuses lists that name no type", () => {
    for (const accepted of [
      [],
      ["json"],
      ["*/*"],
      ["*/json"],
      ["application/*json"],
      ["application/json; charset=utf-8"],
      ["application/json", ""],
    ])
      assert.throws(() => new ContentTypeGuard(accepted), {
        code: "CONFIG_INVALID",
        message: /ContentTypeGuard\(.*: name types without parameters/,
      });
  });
});
