import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { AnswerHeads } from "#http/exchange/answer-heads.js";
import type { AnswerStream, StreamEnd } from "#http/exchange/answer-stream.js";
import { CHUNKED } from "#http/native/framing.js";
import { openedExchange } from "../../support/opened-exchange.js";
import { turn } from "../../support/outcome-code.js";

const { bytes: OK } = new AnswerHeads();
const STATUS = "status 200 OK | content-type: application/octet-stream";
function watched(stream: AnswerStream) {
  const told: (StreamEnd | "writable")[] = [];
  stream.onWritable = () => told.push("writable");
  stream.onOver = (how) => told.push(how);
  return told;
}

describe("an answer in pieces", () => {
  // AS4: the head comes with the first piece.
  test("is chunked where nobody knows its length, and begins with its first piece", () => {
    const { exchange, response, ledger } = openedExchange();
    const stream = exchange.stream(OK);
    const told = watched(stream);
    assert.deepEqual([response.calls, ledger.open], [["listens"], 1]);

    assert.equal(stream.write("one"), true);
    assert.equal(stream.write(Buffer.from("two")), true);
    stream.end();

    assert.deepEqual(response.calls.slice(1), [STATUS, "write one", "write two", "end "]);
    assert.deepEqual([exchange.phase, ledger.open, stream.isOver, told], ["done", 0, true, ["whole"]]);
  });

  test("has a length where that is known, and ends with its last byte", () => {
    const { exchange, response } = openedExchange();
    const stream = exchange.stream(OK, 6);
    const told = watched(stream);
    stream.write("one");
    stream.write("two");

    assert.deepEqual(response.calls.slice(1), [STATUS, "try 3 of 6", "try 3 of 6"]);
    assert.deepEqual([exchange.phase, told], ["done", ["whole"]]);
  });

  test("says a length of 0 where there is nothing in it", () => {
    for (const length of [undefined, 0]) {
      const { exchange, response } = openedExchange();
      exchange.stream(OK, length).end();

      assert.deepEqual(response.calls.slice(1), [STATUS, "end "]);
    }
  });

  test("keeps what the client does not take, and tells when there is room", () => {
    const { exchange, response } = openedExchange({ window: 4 });
    const stream = exchange.stream(OK, 12);
    const told = watched(stream);

    assert.equal(stream.write("123456"), false);
    assert.deepEqual(response.calls.at(-1), "try 4 of 12");
    stream.write("789012");
    stream.end();
    response.drain();
    assert.deepEqual([response.calls.slice(-2), told], [["try 2 of 12", "try 4 of 12"], []]);
    response.drain();
    assert.deepEqual([response.calls.at(-1), told], ["try 2 of 12", ["whole"]]);
  });

  test("tells once that there is room, and again only after it was full", () => {
    const { exchange, response } = openedExchange({ window: 4 });
    const stream = exchange.stream(OK);
    const told = watched(stream);
    stream.write("123456");
    response.window = 100;
    response.drain();
    response.drain();

    assert.deepEqual(told, ["writable"]);
    assert.equal(stream.write("7"), true);
  });

  // AS2: what the client has not taken waits here.
  test("gives the engine slices of a large piece, and a small one where it was full", () => {
    const { exchange, response } = openedExchange({ window: 65_535 });
    const stream = exchange.stream(OK);
    assert.equal(stream.write(new Uint8Array(150_000)), false);
    assert.deepEqual(response.calls.slice(2), ["write 65536"]);

    response.window = 65_536;
    response.drain();
    assert.deepEqual(response.calls.slice(3), ["write 4096", "write 65536", "write 14832"]);
  });

  test("lets the engine send what it kept, whenever there is room", () => {
    const { exchange, response } = openedExchange({ window: 4 });
    exchange.stream(OK).write("123456");
    let corked = 0;
    response.cork = (write) => {
      corked += 1;
      write();
      return response;
    };
    response.drain();
    response.drain();

    assert.equal(corked, 2);
  });

  // AS3: neither shorter nor longer passes for whole.
  test("ends its connection where it is not as long as was said", async () => {
    for (const [pieces, calls] of [
      [["four"], ["try 4 of 6"]],
      [["four", "five"], ["try 4 of 6"]],
      [["too long"], []],
    ] as const) {
      const { exchange, response } = openedExchange();
      const stream = exchange.stream(OK, 6);
      const told = watched(stream);
      for (const piece of pieces) stream.write(piece);
      stream.end();
      await turn();

      assert.deepEqual(response.calls.slice(1), [...(calls.length > 0 ? [STATUS] : []), ...calls, "close"]);
      assert.deepEqual(told, ["misstated"]);
    }
  });

  test("ends its connection where it fails, in a turn of its own: what was written goes out before", async () => {
    const { exchange, response, ledger } = openedExchange();
    const stream = exchange.stream(OK);
    const told = watched(stream);
    stream.write("one");
    stream.fail();
    assert.equal(response.calls.at(-1), "write one");
    await turn();
    response.abort();
    stream.fail();

    assert.deepEqual([response.calls.slice(2), told, ledger.open], [["write one", "close"], ["failed"], 0]);
  });

  // AS1: no call has an effect once it is over.
  test("touches nothing once its client has gone, and tells it once", () => {
    const { exchange, response, ledger } = openedExchange({ window: 1 });
    const stream = exchange.stream(OK);
    const told = watched(stream);
    stream.write("one");
    response.abort();
    const { length } = response.calls;
    assert.equal(stream.write("two"), false);
    stream.end();
    stream.fail();
    response.drain();

    assert.deepEqual([response.calls.length, told, ledger.open], [length, ["gone"], 0]);
  });

  test("is over from the beginning where nobody is there", () => {
    const { exchange, response } = openedExchange();
    exchange.wait();
    response.abort();
    const stream = exchange.stream(OK);

    assert.deepEqual([stream.isOver, stream.write("x"), response.calls], [true, false, ["listens"]]);
  });

  test("is a head alone for HEAD, and over at once", async () => {
    const known = openedExchange({ method: "HEAD" });
    const unknown = openedExchange({ method: "HEAD" });
    const last = openedExchange({ method: "HEAD" });
    assert.ok(known.exchange.stream(OK, 6).isOver);
    assert.ok(unknown.exchange.stream(OK).isOver);
    assert.ok(last.exchange.stream(OK, 6, true).isOver);
    await turn();

    assert.deepEqual(known.response.calls, [`${STATUS} | content-length: 6`, "end without body"]);
    assert.deepEqual(unknown.response.calls, [STATUS, "end without body"]);
    assert.equal(last.response.calls.at(-1), "header connection: close\r\n");
    last.response.abort();
  });

  test("that ends its connection begins in a turn of its own, and reads no more", async () => {
    for (const length of [undefined, 6]) {
      const { exchange, response, ledger } = openedExchange({ bodyLength: CHUNKED });
      const stream = exchange.stream(OK, length);
      const told = watched(stream);
      assert.equal(stream.write("one"), false);
      assert.deepEqual([response.calls, ledger.open], [["listens"], 1]);
      response.data("", true);
      await turn();
      assert.deepEqual(told, ["writable"]);
      stream.write("two");
      stream.end();

      assert.deepEqual(response.calls.slice(1), [
        STATUS,
        "header connection: close",
        ...(length === undefined ? [] : ["try 0 of 6"]),
        "pause",
        length === undefined ? "write one" : "try 3 of 7",
        "pause",
        length === undefined ? "write two" : "try 3 of 7",
        ...(length === undefined ? ["pause", "end "] : []),
      ]);
      response.abort();
    }
  });

  test("that ends its connection and has nothing in it leaves both to the engine", async () => {
    const { exchange, response } = openedExchange();
    exchange.stream(OK, undefined, true).end();
    await turn();

    assert.deepEqual(response.calls.slice(1), [STATUS, "end  closing"]);
  });

  test("is given up where its client leaves before its turn", async () => {
    const { exchange, response } = openedExchange();
    const stream = exchange.stream(OK, undefined, true);
    const told = watched(stream);
    stream.write("one");
    response.abort();
    await turn();

    assert.deepEqual([response.calls, told], [["listens"], ["gone"]]);
  });

  test("ends its connection where nobody waits for its run any more", async () => {
    const { exchange, response } = openedExchange();
    const stream = exchange.stream(OK);
    const told = watched(stream);
    stream.write("one");
    exchange.abandon();
    await turn();

    assert.deepEqual([response.calls.at(-1), told], ["close", ["failed"]]);
  });
});
