// Guards decide before the body is read: what becomes of a body that has begun to come.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import {
  Axon,
  bytes,
  Framework,
  fault,
  guard,
  header,
  layer,
  ProblemDetail,
  pass,
  type RunningServer,
} from "framework";

import { dial, get, post, talk } from "../support/wire.js";

const denied = new ProblemDetail({ status: 401, code: "DENIED", title: "Denied" });
const allows = (bus: { find(key: unknown): unknown }) => bus.find(header("x-who")) === "ann";
const atOnce = guard({
  name: "at once",
  mayRead: [header("x-who")],
  run: (input, bus) => (allows(bus as never) ? pass(input) : fault(denied)),
});
const later = guard({
  name: "later",
  mayRead: [header("x-who")],
  run: async (input, bus) => {
    await wait(40);
    return allows(bus as never) ? pass(input) : fault(denied);
  },
});
let tell: (code: string | undefined) => void = () => {};
/** What the rest of a route came to whose layer had answered. */
const passedOver = new Promise<string | undefined>((resolve) => {
  tell = resolve;
});
const impatient = layer({
  name: "impatient",
  run(_, next) {
    const codeOf = (outcome: unknown) => (outcome as { error?: { code?: string } } | undefined)?.error?.code;
    void Promise.resolve(next()).then((outcome) => tell(codeOf(outcome)));
    return "early";
  },
});
const ann = "X-Who: ann";
const size = (body: string): string => `Content-Length: ${body.length}`;

describe("a body behind a guard", () => {
  let server: RunningServer;
  let address: string;
  before(async () => {
    server = await Framework.http({ processGuards: false })
      .gracefulShutdown(3000)
      .bind("127.0.0.1:0")
      .post("/at-once", Axon.start<Uint8Array>("a"), { input: bytes(), guards: [atOnce] })
      .post("/answered", Axon.start<Uint8Array>("n"), {
        input: bytes(),
        layers: [impatient],
        guards: [later],
      })
      .post("/later", Axon.start<Uint8Array>("l"), { input: bytes(), guards: [later], bodyLimit: 600_000 })
      .get(
        "/",
        Axon.start("hello").thenFn("hello", () => "hello"),
      )
      .run();
    address = server.address;
  });
  after(() => server.close());

  for (const path of ["/at-once", "/later"]) {
    test(`of ${path} is read past where it is refused, and the connection goes on`, async () => {
      const { replies, end } = await talk(
        address,
        [post(path, "half", "Content-Length: 8"), "half", get("/")],
        { pauseMs: 60, after: [0, 0, 1], until: 2, lingerMs: 100 },
      );

      assert.deepEqual(
        replies.map(({ status }) => status),
        [401, 200],
      );
      assert.equal(end, "open");
    });

    test(`of ${path} is whole, in one piece, in many, and in chunks`, async () => {
      const whole = await talk(address, post(path, "whole", size("whole"), ann));
      assert.deepEqual([whole.replies[0]?.status, whole.replies[0]?.body], [200, "whole"]);

      const inPieces = await talk(address, [post(path, "one", "Content-Length: 9", ann), "two", "six"], {
        pauseMs: 25,
        until: 1,
      });
      assert.equal(inPieces.replies[0]?.body, "onetwosix");

      const chunked = await talk(
        address,
        [post(path, "3\r\none\r\n", "Transfer-Encoding: chunked", ann), "3\r\ntwo\r\n0\r\n\r\n"],
        { pauseMs: 25, until: 1 },
      );
      assert.equal(chunked.replies[0]?.body, "onetwo");
    });

    test(`of ${path} that is too large is refused once the guard let it come so far`, async () => {
      const patiently = { waitMs: 30_000 };
      const refused = await talk(address, post(path, "", "Content-Length: 2000000"), patiently);
      // What is read past has an end.
      assert.deepEqual([refused.replies[0]?.status, refused.end], [401, "closed"]);
      const tooLarge = await talk(address, post(path, "", "Content-Length: 2000000", ann), patiently);
      assert.deepEqual([tooLarge.replies[0]?.status, tooLarge.end], [413, "closed"]);
    });
  }

  test("waits with the client, however much of it there is", async () => {
    const body = "0123456789".repeat(50_000);
    const { replies } = await talk(address, post("/later", body, size(body), ann), { until: 1 });
    assert.equal(replies[0]?.body, body);
  });

  test("is not asked for where a layer has answered without waiting", async () => {
    const { replies } = await talk(
      address,
      [post("/answered", "half", "Content-Length: 8", ann), "half", get("/")],
      { after: [0, 0, 1], until: 2 },
    );

    assert.deepEqual(
      replies.map(({ body }) => body),
      ["early", "hello"],
    );
    assert.equal(await passedOver, "RUN_ABORTED");
  });

  test("of a client that goes away while the guard decides harms nobody", async () => {
    for (let i = 0; i < 20; i += 1) {
      const socket = dial(address);
      socket.write(post("/later", "half", "Content-Length: 8", ann));
      await wait(5);
      socket.resetAndDestroy();
    }
    await wait(80);
    assert.equal((await talk(address, get("/"))).replies[0]?.status, 200);
    // No run is left that waits for what will not come.
    await server.close();
    assert.equal(await server.closed, true);
  });
});
