import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompressingExchange } from "#http/answer/compression/compressing-exchange.js";
import { Compression } from "#http/answer/compression/compression.js";
import { AnswerHeads } from "#http/exchange/answer-heads.js";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { type CompressionOptions, compressionRules } from "#http/plan/compression-rules.js";
import { countingLedger } from "../../../support/opened-exchange.js";
import { RecordedResponse } from "../../../support/recorded-response.js";

const heads = new AnswerHeads();
const LARGE = "a larger body, ".repeat(5000);
const GZIP_HEAD =
  "status 200 OK | content-type: text/plain; charset=utf-8 | content-encoding: gzip | vary: accept-encoding";
const PLAIN_HEAD = "status 200 OK | content-type: text/plain; charset=utf-8 | vary: accept-encoding";

const ledger = countingLedger();

/** A request that takes gzip, of an ingress that others may have a share in. */
function open(shared: Compression | CompressionOptions = {}) {
  Object.assign(ledger, { endsConnections: false, open: 0 });
  const compression = shared instanceof Compression ? shared : new Compression(compressionRules(shared));
  const response = new RecordedResponse();
  const exchange = new CompressingExchange(response, ledger, compression);
  exchange.method = "GET";
  exchange.negotiate(new MemoryRequest("/", [["accept-encoding", "gzip"]]));
  return { compression, response, exchange };
}

/** Until no thread compresses anything any more. */
async function quiet({ encoder }: Compression): Promise<void> {
  while (encoder.running > 0) await new Promise((resolve) => setImmediate(resolve));
}

describe("an answer that a thread compresses", () => {
  test("waits for its turn with an abort handler attached, in flight", async () => {
    const { exchange, response, compression } = open();
    exchange.send(heads.text, LARGE);
    assert.deepEqual([exchange.phase, response.calls, ledger.open], ["sending", ["listens"], 1]);

    await quiet(compression);
    assert.equal(response.calls[1], GZIP_HEAD);
    assert.match(response.calls[2] as string, /^end /);
    assert.deepEqual([exchange.phase, response.calls.length, ledger.open], ["done", 3, 0]);
  });

  test("is the only one, whatever is sent or added meanwhile", async () => {
    const { exchange, response, compression } = open();
    exchange.send(heads.text, LARGE);
    exchange.addHeader({ name: "x-late", begin: "\r\nx-late: " }, "1");
    exchange.send(heads.text, "another");

    await quiet(compression);
    assert.deepEqual([response.calls[1], response.calls.length], [GZIP_HEAD, 3]);
  });

  test("touches nothing where its client went away meanwhile, and leaves its place to others", async () => {
    const { exchange, response, compression } = open({ maxConcurrent: 1 });
    exchange.send(heads.text, LARGE);
    assert.equal(compression.encoder.isBusy, true);
    response.abort();
    await quiet(compression);

    assert.deepEqual([exchange.phase, response.calls, ledger.open], ["aborted", ["listens"], 0]);
    assert.equal(compression.encoder.isBusy, false);
  });

  test("ends its connection where the server has begun to stop meanwhile", async () => {
    const { exchange, response, compression } = open();
    exchange.send(heads.text, LARGE);
    ledger.endsConnections = true;
    await quiet(compression);
    await new Promise((resolve) => setImmediate(resolve));

    assert.equal(response.calls[1], GZIP_HEAD);
    assert.match(response.calls[2] as string, /^end [\s\S]* closing$/);
  });

  test("is made of what the step answered, whatever becomes of its memory", async () => {
    // So long that no thread is done with it when it changes.
    const text = LARGE.repeat(60);
    const body = Buffer.from(text);
    const { exchange, response, compression } = open();
    exchange.send(heads.text, body);
    body.fill(0);
    await quiet(compression);

    const other = open();
    other.exchange.send(heads.text, text);
    await quiet(other.compression);
    assert.deepEqual(response.calls, other.response.calls);
  });

  test("goes out as it was made where the threads have enough to do", async () => {
    const first = open({ maxConcurrent: 1 });
    first.exchange.send(heads.text, LARGE);
    const second = open(first.compression);
    second.exchange.send(heads.text, LARGE);

    assert.equal(
      second.response.calls.find((call) => call.startsWith("status")),
      PLAIN_HEAD,
    );
    await quiet(first.compression);
    assert.equal(first.response.calls[1], GZIP_HEAD);
  });

  test("goes out as it was made where zlib cannot begin, at once, by a thread and in pieces", async () => {
    // What there is no memory for fails as what it does not know: in the call.
    const { encoder } = new Compression({ ...compressionRules(), gzipLevel: 99 });
    const compression = Object.assign(new Compression(compressionRules()), { encoder });
    const head = heads.of(200, '\r\ncontent-type: text/plain; charset=utf-8\r\netag: "v1"');
    const plain =
      'status 200 OK | content-type: text/plain; charset=utf-8 | etag: "v1" | vary: accept-encoding';
    const [small, large, pieces] = [open(compression), open(compression), open(compression)];
    small.exchange.send(head, "a".repeat(2000));
    large.exchange.send(head, LARGE);
    assert.equal(encoder.running, 1);
    const stream = pieces.exchange.stream(head);
    stream.write("piece");
    stream.end();
    await quiet(compression);

    for (const { response, exchange } of [small, large, pieces]) {
      assert.ok(response.calls.includes(plain), response.calls.join("\n"));
      assert.equal(exchange.phase, "done");
    }
    assert.deepEqual([encoder.running, encoder.streams], [0, 0]);
  });

  test("ends the connection where it cannot be written, and nothing else", async () => {
    const { exchange, response, compression } = open();
    exchange.send(heads.text, LARGE);
    response.writeStatus = () => {
      throw new Error("gone");
    };
    await quiet(compression);

    assert.equal(response.calls.at(-1), "close");
  });
});

describe("an answer that is compressed at once", () => {
  test("is written in the handler, without an abort handler", () => {
    const { exchange, response } = open();
    exchange.send(heads.text, LARGE.slice(0, 16_384));

    assert.deepEqual([response.calls[0], response.calls.length, exchange.phase], [GZIP_HEAD, 2, "done"]);
  });

  test("is written corked where it is made after the handler", () => {
    const { exchange, response } = open();
    exchange.wait();
    exchange.send(heads.text, LARGE.slice(0, 16_384));

    assert.deepEqual([response.calls[1], exchange.phase, ledger.open], [GZIP_HEAD, "done", 0]);
  });

  test("is marked by what a guard has written of it", () => {
    const { exchange, response } = open();
    exchange.addHeader({ name: "etag", begin: "\r\netag: " }, '"v1"');
    exchange.send(heads.text, LARGE.slice(0, 16_384));

    assert.equal(response.calls[1], 'header etag: "v1+gzip"');
  });

  test("stays as it is where a guard has written that it must", () => {
    const { exchange, response } = open();
    exchange.addHeader({ name: "cache-control", begin: "\r\ncache-control: " }, "no-transform");
    exchange.send(heads.text, LARGE.slice(0, 16_384));

    assert.equal(response.calls[0], "status 200 OK | content-type: text/plain; charset=utf-8");
  });
});
