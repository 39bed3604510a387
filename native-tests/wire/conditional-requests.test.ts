// Conditional requests against a server, byte by byte.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Axon, Framework, type RunningServer, text } from "framework";
import { ConditionalRequestGuard } from "framework/std";
import { site, YESTERDAY } from "../support/site.js";
import { get, inTurn, post, talk } from "../support/wire.js";

const TODAY = `If-Modified-Since: ${new Date().toUTCString()}`;
const enough = (until: number) => ({ until, waitMs: 30_000 });

describe("a conditional request", () => {
  let server: RunningServer;
  let address: string;
  before(async () => {
    const guards = [
      new ConditionalRequestGuard({ current: () => ({ etag: '"v1"', lastModified: YESTERDAY }) }),
    ];
    const answer = Axon.start<unknown>("page").thenFn("answer", () => "the page");
    server = await Framework.http({ processGuards: false })
      .bind("127.0.0.1:0")
      .get("/", answer as never, { guards })
      .post("/", answer as never, { guards, input: text() as never })
      .serveDir("/files", site({ "a.txt": "a file" }))
      .run();
    address = server.address;
  });
  after(() => server.close());

  test("is answered 304 without a body or a length, and the next one on the connection after it", async () => {
    const { raw, replies } = await talk(
      address,
      get("/", 'If-None-Match: "v1"') + get("/", 'If-None-Match: "v2"'),
      enough(2),
    );

    assert.deepEqual(
      replies.map(({ status, headers, body }) => [status, headers["etag"], headers["content-length"], body]),
      [
        [304, '"v1"', undefined, ""],
        [200, '"v1"', "8", "the page"],
      ],
    );
    assert.equal(raw.match(/etag: /g)?.length, 2);
  });

  test("may say its list on several lines", async () => {
    const lines = (name: string) => [`${name}: "v8"`, `${name}: "v1"`];
    const { replies } = await talk(
      address,
      [get("/", ...lines("If-None-Match")), post("/", "x", "Content-Length: 1", ...lines("If-Match"))],
      enough(2),
    );

    assert.deepEqual(
      replies.map(({ status }) => status),
      [304, 200],
    );
  });

  test("of an empty list matches nothing, and is a condition all the same", async () => {
    const { replies } = await talk(
      address,
      [
        post("/", "x", "Content-Length: 1", "If-Match:"),
        post("/", "x", "Content-Length: 1", "If-Match:", 'If-Match: "v1"'),
        get("/", "If-Match:"),
        get("/", "If-None-Match:", TODAY),
        get("/", TODAY),
      ],
      enough(5),
    );

    assert.deepEqual(
      replies.map(({ status }) => status),
      [412, 200, 412, 200, 304],
    );
  });

  test("of a file counts where its field is empty", async () => {
    const replies = await inTurn(address, [
      get("/files/a.txt", "If-Match:"),
      get("/files/a.txt", "If-None-Match:", TODAY),
      get("/files/a.txt", "Range: bytes=0-1"),
      get("/files/a.txt", "Range: bytes=0-1", "If-Range:"),
      get("/files/a.txt", "Range:"),
    ]);

    assert.deepEqual(
      replies.map(({ status, body }) => (status === 412 ? status : [status, body])),
      [412, [200, "a file"], [206, "a "], [200, "a file"], [200, "a file"]],
    );
  });

  test("is refused where a change says what is no list, whatever its length and its bytes", async () => {
    const many = Array.from({ length: 2000 }, (_, n) => `"${n}"`).join(",");
    const change = (value: string): string => post("/", "x", "Content-Length: 1", `If-Match: ${value}`);
    const sent = ['"v1', "v1", '"v1" "v2"', "*, *", `${many},`, `${many},x`, 'a"v1"', '"v\u00e9"', '"v1"'];
    const { replies } = await talk(address, sent.map(change), enough(sent.length));

    assert.deepEqual(
      replies.map(({ status }) => status),
      [400, 400, 400, 400, 412, 400, 400, 412, 200],
    );
  });
});
