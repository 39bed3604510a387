import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BodyStream } from "#http/exchange/body-stream.js";
import { Deadlines } from "#http/native/deadlines.js";
import { CHUNKED } from "#http/native/framing.js";
import { openedExchange } from "../../support/opened-exchange.js";

const WINDOW = "x".repeat(262_144);

function streaming(bodyLength: number, limit = 1_000_000, isWanted = true) {
  const { response, exchange } = openedExchange({ bodyLength });
  const deadlines = new Deadlines(250);
  const refused: string[] = [];
  const stream = new BodyStream(exchange, {
    limit,
    deadlines,
    unstored: (error) => void refused.push(String(error)),
    refused: ({ problem, ends }) => void refused.push(`${problem.code}${ends ? " ends" : ""}`),
  });
  if (isWanted) stream.want();
  const tick = () => deadlines.tick();
  /** The time of one deadline passes. */
  const pass = (): void => {
    tick();
    tick();
  };
  return { response, exchange, stream, refused, tick, pass };
}

async function read(stream: BodyStream): Promise<string> {
  let text = "";
  try {
    for await (const piece of stream) text += Buffer.from(piece);
  } catch (error) {
    return `${text} ${(error as { code?: string }).code}`;
  }
  return text;
}

describe("a body as it arrives", () => {
  test("is read whole, however it comes and whoever is first", async () => {
    for (const pieces of [["hello"], ["he", "llo"], ["h", "", "ello", ""]]) {
      const early = streaming(5);
      const told = read(early.stream);
      const late = streaming(CHUNKED);
      for (const [i, piece] of pieces.entries()) {
        for (const { response } of [early, late]) response.data(piece, i === pieces.length - 1);
        await Promise.resolve();
      }

      assert.deepEqual([await told, await read(late.stream)], ["hello", "hello"]);
      assert.deepEqual([early.refused, late.refused], [[], []]);
    }
  });

  test("that is none is at its end at once", async () => {
    assert.equal(await read(streaming(0).stream), "");
  });

  // BS1: the window of the queue.
  test("holds the client back above its window, and lets it go on when most is taken", async () => {
    const { response, stream } = streaming(CHUNKED);
    response.data(WINDOW.slice(1), false);
    assert.ok(!response.calls.includes("pause"));
    response.data("x", false);
    response.data("late", false);
    assert.equal(response.calls.filter((call) => call === "pause").length, 1);
    await stream.next();
    assert.ok(response.calls.includes("resume"));
    response.data("", true);

    assert.match(await read(stream), /late$/);
  });

  test("keeps a connection alive that it holds back, without reading from it", () => {
    const { response, pass, refused } = streaming(CHUNKED);
    response.data(WINDOW, false);
    pass();

    assert.deepEqual(response.calls.slice(-3), ["pause", "resume", "pause"]);
    assert.deepEqual(refused, []);
  });

  // BS2: the reader has STALLS deadlines.
  test("is given up where nothing is taken for four deadlines in a row", async () => {
    const { response, pass, refused, stream } = streaming(CHUNKED);
    response.data(WINDOW, false);
    response.data(WINDOW, false);
    for (let i = 0; i < 3; i += 1) pass();
    await stream.next();
    for (let i = 0; i < 3; i += 1) pass();
    assert.deepEqual(refused, []);
    pass();

    assert.deepEqual(refused, ["BODY_UNREAD ends"]);
    assert.equal(await read(stream), " BODY_UNREAD");
  });

  test("is refused where the client brings nothing before a deadline", async () => {
    const { response, pass, refused, stream } = streaming(5);
    const told = read(stream);
    response.data("he", false);
    pass();
    response.data("llo", true);

    assert.deepEqual(refused, ["BODY_TIMEOUT ends"]);
    assert.equal(await told, "he BODY_TIMEOUT");
  });

  test("has as long as it needs where something comes before each deadline", async () => {
    const { response, pass, tick, refused, stream } = streaming(CHUNKED);
    const told = read(stream);
    for (let i = 0; i < 20; i += 1) {
      response.data("x", false);
      tick();
      if (i % 2 === 0) await Promise.resolve();
    }
    response.data("", true);
    pass();

    assert.deepEqual([refused, await told], [[], "x".repeat(20)]);
  });

  test("is refused as soon as it is counted above its limit, given up or not", async () => {
    const counted = streaming(CHUNKED, 10);
    const told = read(counted.stream);
    counted.response.data("12345", false);
    counted.response.data("678901", false);
    counted.response.data("x", true);
    const left = streaming(CHUNKED, 10);
    await left.stream.return();
    left.response.data("12345678901", false);
    left.response.data("1", false);

    assert.deepEqual([counted.refused, left.refused], [["BODY_TOO_LARGE ends"], ["BODY_TOO_LARGE ends"]]);
    assert.equal(await told, "12345 BODY_TOO_LARGE");
  });

  test("fails for whoever reads when the client goes away", async () => {
    const { response, stream } = streaming(5);
    const told = read(stream);
    response.data("he", false);
    await new Promise((resolve) => setImmediate(resolve));
    response.abort();

    assert.equal(await told, "he BODY_ABORTED");
    assert.equal(await read(stream), " BODY_ABORTED");
  });

  // BS3: half a body must not pass for a whole one.
  test("fails for whoever keeps it after the run, unless it was read to its end", async () => {
    const half = streaming(5);
    half.response.data("he", false);
    half.stream.release();
    half.response.data("llo", true);
    const unread = streaming(5);
    unread.response.data("hello", true);
    unread.stream.release();
    const whole = streaming(5);
    whole.response.data("hello", true);
    await read(whole.stream);
    whole.stream.release();

    assert.equal(await read(half.stream), " BODY_RELEASED");
    assert.equal(await read(unread.stream), " BODY_RELEASED");
    assert.equal(await read(whole.stream), "");
  });

  test("lets the client go on when it is given up or released", async () => {
    const left = streaming(CHUNKED);
    left.response.data(WINDOW, false);
    await left.stream.return();
    const released = streaming(CHUNKED);
    released.response.data(WINDOW, false);
    released.stream.release();

    for (const { response, pass, refused } of [left, released]) {
      assert.equal(response.calls.at(-1), "resume");
      pass();
      assert.deepEqual(refused, []);
    }
  });

  test("is 503 where neither memory nor a file has room for it", async () => {
    const { TMPDIR } = process.env;
    process.env["TMPDIR"] = "/nowhere/at/all";
    try {
      const { response, refused, stream } = streaming(CHUNKED, 10_000_000);
      for (let i = 0; i < 5; i += 1) response.data(WINDOW, false);

      assert.deepEqual(refused.slice(0, 1), ["STORAGE_UNAVAILABLE ends"]);
      assert.match(refused[1] ?? "", /ENOENT/);
      assert.equal(await read(stream), " STORAGE_UNAVAILABLE");
    } finally {
      if (TMPDIR === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = TMPDIR;
    }
  });

  test("lets the client go on when it is answered", () => {
    const { response, exchange } = streaming(5_000_000);
    response.data(WINDOW, false);
    exchange.send({ status: 200, lines: "", block: "" }, "done");

    assert.deepEqual(response.calls.slice(-4), ["resume", "status ", "try 0 of 4", "try 4 of 5"]);
    response.abort();
  });

  test("that nobody wants yet has all the time, and says later why it is refused", () => {
    const patient = streaming(5, 10, false);
    for (let i = 0; i < 10; i += 1) patient.pass();
    patient.tick();
    assert.equal(patient.stream.want(), undefined);
    patient.tick();
    assert.deepEqual(patient.refused, []);
    patient.tick();
    const held = streaming(CHUNKED, 1_000_000, false);
    held.response.data(WINDOW, false);
    for (let i = 0; i < 10; i += 1) held.pass();
    const large = streaming(CHUNKED, 10, false);
    large.response.data("12345678901", false);

    assert.deepEqual([patient.refused, held.refused, large.refused], [["BODY_TIMEOUT ends"], [], []]);
    assert.equal(large.stream.want()?.problem.code, "BODY_TOO_LARGE");
  });

  test("tells those who asked when it is released, once", () => {
    const { stream } = streaming(5);
    const told: string[] = [];
    stream.whenReleased(() => told.push("a"));
    stream.whenReleased(() => told.push("b"));
    stream.release();
    stream.release();
    stream.whenReleased(() => told.push("late"));

    assert.deepEqual(told, ["a", "b", "late"]);
  });

  test("is released whole, and tells of what could not be", () => {
    const { stream, refused } = streaming(5);
    stream.whenReleased(() => {
      throw new Error("EROFS");
    });
    stream.whenReleased(() => refused.push("the next"));
    stream.release();

    assert.deepEqual(refused, ["Error: EROFS", "the next"]);
  });
});
