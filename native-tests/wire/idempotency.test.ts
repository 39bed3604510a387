// Idempotency keys against a server, byte by byte.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  Axon,
  Framework,
  guard,
  header,
  json,
  pass,
  type RunningServer,
  respond,
  setCookie,
  Type,
  VerifiedIdentity,
} from "framework";
import type { IdempotencyStore } from "framework/core";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";
import { dial, post, talk } from "../support/wire.js";

const Order = Type.Object({ item: Type.String() });
const KEY = 'Idempotency-Key: "8e03978e-40d5-43dd"';
const JSON_TYPE = "Content-Type: application/json";
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A store whose answers take a turn of the event loop, as those of another machine. */
function remote(): IdempotencyStore {
  const memory = new MemoryIdempotency();
  const later = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(resolve, 2, value));
  return {
    claim: (...args) => later(memory.claim(...args)),
    keep: (...args) => later(memory.keep(...args)),
    release: (lease) => later(memory.release(lease)),
  };
}

const ran: Record<string, number> = { here: 0, remote: 0 };
const who = guard({
  name: "who",
  mayRead: [header("x-who")],
  mayWrite: [VerifiedIdentity],
  run: (input, bus) => {
    const name = bus.find(header("x-who"));
    if (name !== undefined) bus.set(VerifiedIdentity, name);
    return pass(input);
  },
});

/** Orders that take their time, and are each another one. */
const ordering = (place: string) =>
  Axon.start(`order ${place}`, Order)
    .thenFn("place", async ({ item }) => {
      ran[place] = (ran[place] ?? 0) + 1;
      await pause(50);
      return { item, order: ran[place] as number };
    })
    .thenFn("answer", { responses: [{ status: 201 }] }, (placed) =>
      respond({
        status: 201,
        headers: { location: `/orders/${placed.order}` },
        cookies: [setCookie("order", String(placed.order))],
        body: placed,
      }),
    );

const request = (target: string, body: string, ...headers: readonly string[]): string =>
  post(target, body, JSON_TYPE, `Content-Length: ${Buffer.byteLength(body)}`, ...headers);
const order = (item: string): string => JSON.stringify({ item });

/** All bytes of an answer but those that differ by their nature. */
const ownBytes = (raw: string): string =>
  raw.replace(/\r\ndate: [^\r]*/i, "").replace("\r\nidempotent-replayed: true", "");

describe("idempotency keys", () => {
  let server: RunningServer;
  let address: string;
  before(async () => {
    server = await Framework.http({ processGuards: false })
      .gracefulShutdown(3000)
      .bind("127.0.0.1:0")
      .post("/here", ordering("here"), { input: json(Order), guards: [who, new IdempotencyGuard()] })
      .post("/remote", ordering("remote"), {
        input: json(Order),
        guards: [who, new IdempotencyGuard({ store: remote() })],
      })
      .run();
    address = server.address;
  });
  after(() => server.close());

  /** The answer once the first request is done with. */
  async function settled(target: string, body: string, ...headers: readonly string[]) {
    for (let n = 0; n < 600; n += 1) {
      const { raw, replies } = await talk(address, request(target, body, ...headers), {
        until: 1,
        waitMs: 30_000,
      });
      const [reply] = replies;
      assert.ok(reply);
      if (reply.status !== 409) return { raw, reply };
      await pause(50);
    }
    assert.fail("it never came to an answer");
  }

  for (const target of ["/here", "/remote"]) {
    const place = target.slice(1);

    test(`run the step of ${target} once for a hundred requests at once, which all get its answer`, async () => {
      const before = ran[place] as number;
      const key = "Idempotency-Key: a-hundred";
      const talks = await Promise.all(
        Array.from({ length: 100 }, () =>
          talk(address, request(target, order("tea"), key), { until: 1, waitMs: 30_000 }),
        ),
      );

      const replies = talks.map(({ replies: [reply] }) => reply);
      const served = replies.filter((reply) => reply?.status === 201);
      const refused = replies.filter((reply) => reply?.status === 409);
      assert.equal(served.length + refused.length, 100);
      assert.ok(served.length >= 1);
      for (const reply of refused) {
        assert.equal(reply?.headers["retry-after"], "1");
        assert.match(reply?.body ?? "", /IDEMPOTENCY_IN_PROGRESS/);
      }
      const bodies = new Set(served.map((reply) => reply?.body));
      assert.deepEqual([...bodies], [JSON.stringify({ item: "tea", order: before + 1 })]);
      const { reply } = await settled(target, order("tea"), key);
      assert.equal(reply.body, [...bodies][0]);
      assert.equal(reply.headers["idempotent-replayed"], "true");
      assert.equal(ran[place], before + 1);
    });

    test(`of ${target} are answered again byte for byte, without the cookies of the first caller`, async () => {
      const first = await settled(target, order("milk"), KEY);
      const again = await settled(target, order("milk"), KEY);

      assert.equal(first.reply.status, 201);
      assert.equal(first.reply.headers["idempotent-replayed"], undefined);
      assert.equal(again.reply.headers["idempotent-replayed"], "true");
      assert.match(first.raw, /set-cookie: order=/);
      assert.equal(ownBytes(again.raw), ownBytes(first.raw).replace(/^set-cookie: .*\r\n/m, ""));
    });

    test(`of ${target} are told apart by who asks, and a body that differs in one byte is refused`, async () => {
      const answerTo = async (name: string) =>
        (await settled(target, order("bread"), KEY.replace("8e", "9f"), `X-Who: ${name}`)).reply.body;
      const ann = await answerTo("ann");

      assert.notEqual(await answerTo("bob"), ann);
      assert.equal(await answerTo("ann"), ann);
      const other = await settled(target, order("breed"), KEY.replace("8e", "9f"), "X-Who: ann");
      assert.equal(other.reply.status, 422);
      assert.match(other.reply.body, /IDEMPOTENCY_MISMATCH/);
    });

    test(`of ${target} get the answer of a run whose client had gone away`, async () => {
      const before = ran[place] as number;
      const key = KEY.replace("8e", "aa");
      const socket = dial(address);
      socket.on("error", () => {});
      socket.write(request(target, order("salt"), key));
      while (ran[place] === before) await pause(2);
      socket.destroy();

      const { reply } = await settled(target, order("salt"), key);
      assert.equal(reply.status, 201);
      assert.equal(reply.headers["idempotent-replayed"], "true");
      assert.equal(ran[place], before + 1);
    });

    test(`of ${target} are the same for a body that comes in pieces, chunked or not`, async () => {
      const before = ran[place] as number;
      const key = KEY.replace("8e", "cc");
      const { reply: first } = await settled(target, order("rice"), key);
      const body = order("rice");
      const [head = ""] = request(target, body, key).split(body);
      const pieces = [head, body.slice(0, 5), body.slice(5)];
      const chunked = [
        post(target, "", JSON_TYPE, "Transfer-Encoding: chunked", key),
        `5\r\n${body.slice(0, 5)}\r\n`,
        `${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`,
      ];
      for (const sent of [pieces, chunked]) {
        const { replies } = await talk(address, sent, { until: 1, waitMs: 30_000 });
        assert.equal(replies[0]?.body, first.body);
      }
      assert.equal(ran[place], before + 1);
    });
  }

  test("are refused where they are none, and a connection goes on", async () => {
    const before = ran["here"] as number;
    const keys = [
      "",
      "a b",
      '"',
      `"${"k".repeat(256)}"`,
      "k".repeat(5000),
      '"a", "b"',
      '"a";q=1',
      "a\u00e9b",
    ];
    const sent = keys.map((key) => request("/here", order("x"), `Idempotency-Key: ${key}`));
    const { replies } = await talk(address, sent, { until: keys.length, waitMs: 30_000 });

    assert.deepEqual(
      replies.map(({ status, body }) => [status, /IDEMPOTENCY_KEY_INVALID/.test(body)]),
      keys.map(() => [400, true]),
    );
    assert.equal(ran["here"], before);
  });
});
