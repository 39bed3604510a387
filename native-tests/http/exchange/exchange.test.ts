import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AnswerHeads } from "#http/exchange/answer-heads.js";
import { noTaker } from "#http/exchange/outlasting.js";
import { CHUNKED } from "#http/native/framing.js";
import { openedExchange } from "../../support/opened-exchange.js";
import { turn } from "../../support/outcome-code.js";

const OK = { status: 200, lines: "", block: "200 OK" };
const NO_CONTENT = new AnswerHeads().noContent;
describe("an exchange", () => {
  test("answers in the handler without an abort handler", () => {
    const { exchange, response, ledger } = openedExchange();
    exchange.send(OK, "hi");

    assert.deepEqual(response.calls, ["status 200 OK", "end hi"]);
    assert.deepEqual([exchange.phase, ledger.open], ["done", 0]);
  });

  // X2: without the handler the engine would end the process.
  test("attaches an abort handler before it outlives its handler, and answers corked", () => {
    const { exchange, response, ledger } = openedExchange();
    exchange.wait();
    assert.deepEqual([exchange.phase, ledger.open, response.calls], ["waiting", 1, ["listens"]]);

    exchange.send(OK, "hi");
    assert.deepEqual(response.calls.slice(1), ["status 200 OK", "end hi"]);
    assert.deepEqual([exchange.phase, ledger.open], ["done", 0]);
  });

  // X3: the last answer of a connection.
  test("ends the connection from a macrotask, with an abort handler attached", async () => {
    const { exchange, response, ledger } = openedExchange();
    exchange.send(OK, "no", true);
    assert.deepEqual([response.calls, exchange.phase, ledger.open], [["listens"], "sending", 1]);

    await turn();
    assert.deepEqual(response.calls.slice(1), ["status 200 OK", "end no closing"]);
    assert.equal(ledger.open, 0);
  });

  test("leaves an answer as it was made that waits for its turn", async () => {
    const { exchange, response } = openedExchange();
    exchange.heads = new AnswerHeads({ "x-a": "constant" });
    exchange.addHeader({ name: "x-b", begin: "\r\nx-b: " }, "written");
    exchange.send(exchange.heads.noContent, null, true);
    exchange.addHeader({ name: "x-a", begin: "\r\nx-a: " }, "late");
    exchange.giveWay("\r\nx-b: late");

    await turn();
    assert.deepEqual(response.calls.slice(1, 3), [
      "status 204 No Content | x-a: constant",
      "header x-b: written",
    ]);
  });

  test("releases the data of its request during a long answer, unless an observer reads it at the end", () => {
    const ignored = {
      read() {},
      begin() {},
      handed() {},
      end() {},
      keep() {},
      code: undefined,
      failure: undefined,
    };
    for (const observation of [null, ignored]) {
      const { exchange } = openedExchange();
      exchange.path = "/events";
      exchange.observation = observation;
      const own = exchange.own();
      exchange.stream(OK);
      exchange.detach(false);

      const isKept = observation !== null;
      assert.deepEqual([exchange.path, exchange.particulars === own], [isKept ? "/events" : "", isKept]);
    }
  });

  test("says each element of a list once", () => {
    const { exchange } = openedExchange();
    const vary = { name: "vary", begin: "\r\nvary: " };
    for (const value of ["accept-encoding", "accept", "accept"]) exchange.addHeader(vary, value);

    assert.equal(exchange.lines, "\r\nvary: accept-encoding\r\nvary: accept");
  });

  test("does so after every chunked body, and while draining", async () => {
    const chunked = openedExchange({ bodyLength: CHUNKED });
    const draining = openedExchange();
    draining.ledger.endsConnections = true;
    for (const { exchange } of [chunked, draining]) exchange.send(OK, "hi");
    await turn();
    assert.deepEqual(chunked.response.calls, ["listens"], "the rest of the body comes first");
    chunked.response.data("rest", true);
    await turn();

    for (const { response } of [chunked, draining])
      assert.deepEqual(response.calls, ["listens", "status 200 OK", "end hi closing"]);
  });

  // X5: the engine tells the end of a body once.
  test("knows that a body is over which came while its run was pending", async () => {
    const { exchange, response } = openedExchange({ bodyLength: CHUNKED });
    exchange.wait();
    response.data("whole", true);
    exchange.send(OK, "hi");
    await turn();

    assert.deepEqual(response.calls, ["listens", "status 200 OK", "end hi closing"]);
  });

  // X5: ended before, the engine would set no idle time-out.
  test("answers before the body is over, and ends the answer for the engine with the last piece", () => {
    const { exchange, response, ledger } = openedExchange({ bodyLength: 10 });
    exchange.receive(noTaker);
    response.data("first", false);
    exchange.send(OK, "hi");
    const sent = ["listens", "status 200 OK", "try 0 of 2", "try 2 of 3"];
    assert.deepEqual([response.calls, exchange.phase, ledger.open], [sent, "done", 0]);
    response.data("rest", true);

    assert.deepEqual(response.calls, [...sent, "try 0 of 2"]);
  });

  test("waits with an answer without a body for the end of the request's, or its silence", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    for (const isOver of [true, false]) {
      const { exchange, response } = openedExchange({ bodyLength: 10 });
      exchange.receive(noTaker);
      exchange.send(NO_CONTENT, null);
      assert.deepEqual(response.calls, ["listens"]);
      if (isOver) response.data("whole", true);
      else t.mock.timers.tick(300);
      await turn();

      assert.equal(response.calls.at(-1), isOver ? "end without body" : "header connection: close\r\n");
      response.abort();
    }
  });

  test("closes a connection whose body never ends behind its answer", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { exchange, response } = openedExchange({ bodyLength: 16_000 });
    exchange.receive(noTaker);
    exchange.send(OK, "hi");
    t.mock.timers.tick(5999);
    assert.notEqual(response.calls.at(-1), "close");
    t.mock.timers.tick(1);

    assert.equal(response.calls.at(-1), "close");
  });

  test("answers a client that stops sending, and closes the connection when the body is over", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    for (const [body, sent] of [
      ["no", ["header connection: close", "try 0 of 2", "try 2 of 3"]],
      ["", ["header content-length: 0", "header connection: close\r\n"]],
      [null, ["header connection: close\r\n"]],
    ] as const) {
      const { exchange, response, ledger } = openedExchange({ bodyLength: CHUNKED });
      exchange.send(OK, body);
      t.mock.timers.tick(299);
      response.data("x", false);
      t.mock.timers.tick(299);
      assert.deepEqual([response.calls, ledger.open], [["listens"], 1]);
      t.mock.timers.tick(1);
      const undated = response.calls.filter((call) => !call.startsWith("header date: "));
      assert.deepEqual([undated, ledger.open], [["listens", "status 200 OK", ...sent], 0]);
      t.mock.timers.tick(4000);
      response.data("x", true);
      await turn();
      t.mock.timers.tick(1000);

      assert.equal(response.calls.at(-1), "close");
    }
  });

  test("reads no more of a body than it may discard", async () => {
    const { exchange, response } = openedExchange({ bodyLength: CHUNKED });
    exchange.send(OK, "hi");
    response.data("x".repeat(101), false);
    await turn();

    assert.deepEqual(response.calls, ["listens", "status 200 OK", "end hi closing"]);
  });

  test("answers once, whatever is sent after", async () => {
    const { exchange, response } = openedExchange();
    exchange.send(OK, "first");
    exchange.send(OK, "second");
    exchange.close();

    assert.deepEqual(response.calls, ["status 200 OK", "end first"]);
  });

  // X1: the phase "aborted".
  test("touches nothing after the client went away, and tells whoever waits", async () => {
    const { exchange, response, ledger } = openedExchange();
    let told = 0;
    exchange.whenAborted(() => {
      told += 1;
    });
    exchange.wait();
    response.abort();
    exchange.send(OK, "late");
    exchange.close();

    assert.deepEqual([response.calls, exchange.phase, told, ledger.open], [["listens"], "aborted", 1, 0]);
  });

  test("touches nothing where the client goes away before the macrotask", async () => {
    const { exchange, response } = openedExchange();
    exchange.send(OK, "no", true);
    response.abort();
    await turn();

    assert.deepEqual(response.calls, ["listens"]);
  });

  test("does not count an abort after the end", async () => {
    const { exchange, response, ledger } = openedExchange();
    exchange.send(OK, "no", true);
    await turn();
    response.abort();

    assert.deepEqual([exchange.phase, ledger.open], ["done", 0]);
  });

  test("answers HEAD with the length and no body, keeping the connection", () => {
    const { exchange, response } = openedExchange({ method: "HEAD" });
    exchange.send(OK, "né");

    assert.deepEqual(response.calls, ["status 200 OK", "header content-length: 3", "end without body"]);
  });

  // X4: the engine closes the connection of a client that sent a lone `close`.
  test("ends HEAD and emptiness for the engine only where that closes the connection", async () => {
    for (const closing of ["alone", "listed"] as const) {
      const head = openedExchange({ method: "HEAD" });
      const empty = openedExchange();
      head.exchange.closing = empty.exchange.closing = closing;
      head.exchange.send(OK, "four");
      empty.exchange.send(NO_CONTENT, null);
      await turn();

      const end = closing === "alone" ? "end without body" : "header connection: close\r\n";
      assert.deepEqual([head.response.calls.at(-1), empty.response.calls.at(-1)], [end, end]);
      assert.equal(head.response.calls[2], "header content-length: 4");
      assert.deepEqual([head.exchange.phase, head.ledger.open], ["done", 0]);
      head.response.abort();
      empty.response.abort();
    }
  });

  test("closes such a connection by itself once the client has stopped reading it, or never if the client does", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const closed = openedExchange();
    const left = openedExchange();
    for (const { exchange } of [closed, left]) exchange.send(NO_CONTENT, null, true);
    await turn();
    await turn();
    left.response.abort();
    t.mock.timers.tick(999);
    // It reads: the engine may have more for it.
    closed.response.drain();
    t.mock.timers.tick(999);
    assert.notEqual(closed.response.calls.at(-1), "close");
    t.mock.timers.tick(1);

    assert.equal(closed.response.calls.at(-1), "close");
    assert.notEqual(left.response.calls.at(-1), "close");
  });

  test("answers nothing at all without a length", () => {
    const { exchange, response } = openedExchange();
    exchange.send(NO_CONTENT, null);

    assert.deepEqual(response.calls, ["status 204 No Content", "end without body"]);
  });

  test("hands a large body over as the client takes it", () => {
    const { exchange, response, ledger } = openedExchange();
    response.window = 40_000;
    exchange.send(OK, "x".repeat(100_000));
    assert.deepEqual(
      [response.calls.slice(-1), exchange.phase, ledger.open],
      [["try 40000 of 100000"], "sending", 1],
    );

    response.drain();
    response.drain();
    assert.deepEqual(response.calls.slice(-2), ["try 40000 of 100000", "try 20000 of 100000"]);
    assert.deepEqual([exchange.phase, ledger.open], ["done", 0]);
  });

  // X4: the engine cannot end it with an answer in pieces, so it never gets the last byte.
  test("reads no more of a connection that a large body ends", async () => {
    const { exchange, response } = openedExchange();
    response.window = 40_000;
    exchange.send(OK, new Uint8Array(65_536), true);
    await turn();
    response.drain();

    assert.deepEqual(response.calls.slice(1), [
      "status 200 OK",
      "header connection: close",
      "try 0 of 65536",
      "pause",
      "try 40000 of 65537",
      "pause",
      "try 25536 of 65537",
    ]);
    response.abort();
  });

  test("shows the request id that it has, or a new one", () => {
    const given = openedExchange();
    given.ledger.showsIds = true;
    given.exchange.requestId = "abc";
    given.exchange.send(OK, "hi");
    const made = openedExchange();
    made.ledger.showsIds = true;
    made.exchange.send(OK, "hi");

    assert.equal(given.response.calls[1], "header x-request-id: abc");
    assert.match(made.response.calls[1] ?? "", /^header x-request-id: [0-9a-f-]{36}$/);
  });

  test("closes the connection where its last answer cannot be written", async () => {
    const { exchange, response } = openedExchange();
    response.writeStatus = () => {
      throw new Error("the engine refuses");
    };
    exchange.send(OK, "no", true);
    await turn();
    response.close = () => {
      throw new Error("and lets go");
    };
    exchange.close();

    assert.deepEqual(response.calls, ["listens", "close"]);
  });

  test("pauses a body that it holds after its handler, and hands over what came of it", async () => {
    const { exchange, response } = openedExchange({ bodyLength: 20 });
    exchange.hold(100);
    response.data("early ", false);
    assert.deepEqual(response.calls, ["listens"], "a pause in the handler would be cut after 12 s");
    await turn();
    response.data("late ", false);
    const told: string[] = [];
    exchange.receive({
      take: (piece, last) => void told.push(`${Buffer.from(piece)}${last ? "." : ""}`),
      left: () => {},
    });
    response.data("last", true);

    assert.deepEqual(response.calls, ["listens", "pause", "resume"]);
    assert.deepEqual(told, ["early ", "late ", "last."]);
  });

  test("holds no more of a body than shows that it is too large", () => {
    const { exchange, response } = openedExchange({ bodyLength: CHUNKED });
    exchange.hold(10);
    for (let i = 0; i < 100; i += 1) response.data("12345678", false);
    let held = 0;
    exchange.receive({
      take: (piece) => {
        held += piece.byteLength;
      },
      left: () => {},
    });

    assert.equal(held, 16);
  });

  test("tells whoever waits for its run when it is abandoned, once", () => {
    const { exchange, response } = openedExchange();
    const told: string[] = [];
    exchange.wait();
    exchange.whenAborted(() => told.push("a"));
    exchange.whenAborted(() => told.push("b"));
    exchange.abandon();
    response.abort();

    assert.deepEqual([told, exchange.isAbandoned], [["a", "b"], true]);
  });

  test("can be closed without an answer", () => {
    const { exchange, response } = openedExchange();
    exchange.wait();
    exchange.close();

    assert.deepEqual(response.calls, ["listens", "close"]);
  });
});
