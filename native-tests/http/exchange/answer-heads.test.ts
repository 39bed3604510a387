import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type AnswerHead, AnswerHeads } from "#http/exchange/answer-heads.js";

const textOf = ({ block }: AnswerHead): string =>
  typeof block === "string" ? block : Buffer.from(block).toString();

describe("heads of answers", () => {
  test("are one block of status and headers", () => {
    const heads = new AnswerHeads({ "x-a": "1", "x-b": "2" });

    assert.equal(textOf(heads.json), "200 OK\r\ncontent-type: application/json\r\nx-a: 1\r\nx-b: 2");
    assert.equal(textOf(heads.noContent), "204 No Content\r\nx-a: 1\r\nx-b: 2");
    assert.equal(textOf(new AnswerHeads().of(499, "")), "499 Unassigned");
    assert.equal(heads.problem(409), heads.problem(409));
  });

  test("give way to an answer's own header of the same name, but for a list that all add to", () => {
    const heads = new AnswerHeads({ "x-a": "1", vary: "origin" });

    assert.equal(
      textOf(heads.of(200, "\r\nx-a: own\r\nvary: accept")),
      "200 OK\r\nx-a: own\r\nvary: accept\r\nvary: origin",
    );
    assert.match(
      textOf(heads.problemOf(409, "\r\nx-a: own")),
      /^409 Conflict(?!.*x-a: 1)[\s\S]*vary: origin$/,
    );
  });

  test("can go without one of their headers", () => {
    const heads = new AnswerHeads({ "x-a": "1", "x-b": "2" });

    assert.equal(textOf(heads.without("x-a").noContent), "204 No Content\r\nx-b: 2");
    assert.equal(heads.without("x-a"), heads.without("x-a"));
    assert.equal(heads.without("x-c"), heads);
  });

  test("are refused where a header could split the response", () => {
    assert.throws(() => new AnswerHeads({ "x-a": "1\r\nx-b: 2" }), { code: "HEADER_INVALID" });
    assert.throws(() => new AnswerHeads({ "x a": "1" }), { code: "HEADER_INVALID" });
  });
});
