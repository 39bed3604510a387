import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { StringNode } from "framework/std";

const after = (node: StringNode, input: string) => Axon.start<string>("s").then(node).execute(input);

describe("StringNode", () => {
  test("appends, prepends, trims and changes case", () => {
    assert.equal(after(new StringNode("append", "!"), "a"), "a!");
    assert.equal(after(new StringNode("prepend", "> "), "a"), "> a");
    assert.equal(after(new StringNode("upper"), "straße"), "STRASSE");
    assert.equal(after(new StringNode("lower"), "İI"), "i̇i", "by no locale's rules");
    assert.equal(after(new StringNode("trim"), "\t a \n"), "a");
  });

  test("is drawn as what it does", () => {
    assert.equal(new StringNode("append", "a\n").description, 'append "a\\n"');
    assert.equal(new StringNode("upper").description, "upper");
  });

  test("refuses an operation that there is not", () => {
    assert.throws(() => new StringNode("constructor" as "upper"), {
      code: "CONFIG_INVALID",
      message: /^StringNode\("constructor"\): use one of append, prepend, upper, lower, trim/,
    });
  });
});
