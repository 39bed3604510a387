// Who may have a connection of the feed, how it begins, and what ends it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { HandshakeRefused } from "framework/http";

import { asOperator, asViewer, inspected, VIEWER } from "../../support/inspected.js";

const PROTOCOL = "framework.inspector.v1";

describe("a connection of the feed", () => {
  test("begins with who it is, and answers what it does not understand", async () => {
    const { app, feed } = inspected();
    const socket = await app.ws("/api/v1/events", { ...asViewer, protocols: [PROTOCOL] });
    const hello = JSON.parse((await socket.next()) as string);

    assert.deepEqual([socket.protocol, hello.type, hello.role], [PROTOCOL, "hello", "viewer"]);
    for (const wrong of ["{", "[]", '{"type":"subscribe","kinds":["x"]}', '{"type":"drop"}', "null"]) {
      socket.send(wrong);
      const { type, title } = JSON.parse((await socket.next()) as string);
      assert.deepEqual([type, title], ["error", "The message was not understood"], wrong);
    }
    assert.equal(feed.stats.clients, 1);
    void socket.close();
    await app.close();
    assert.equal(feed.stats.clients, 0);
  });

  test("is ended for bytes, and for one mistake after the other", async () => {
    const { app } = inspected();
    const bytes = await app.ws("/api/v1/events", asViewer);
    bytes.send(Buffer.from([1, 2, 3]));
    assert.equal((await bytes.closed).code, 1003);

    const wrong = await app.ws("/api/v1/events", asViewer);
    for (let i = 0; i < 30; i += 1) wrong.send("{");
    assert.equal((await wrong.closed).code, 1008);
    await app.close();
  });

  test("takes a ticket once, of its own role, and never chooses it", async () => {
    const { app } = inspected();
    const origin = "http://localhost";
    const headers = { host: "localhost", origin };
    const made = await app.post("/api/v1/tickets", {
      headers: { ...headers, authorization: `Bearer ${VIEWER}` },
    });
    const { ticket } = (made.json as { data: { ticket: string } }).data;
    const open = (own: Record<string, string>) =>
      app.ws("/api/v1/events", { headers: own, protocols: [ticket, PROTOCOL] });

    const socket = await open(headers);
    assert.equal(socket.protocol, PROTOCOL);
    assert.equal(JSON.parse((await socket.next()) as string).role, "viewer");
    await assert.rejects(open(headers), (error: HandshakeRefused) => {
      assert.ok(error instanceof HandshakeRefused);
      return error.response.status === 401;
    });
    void socket.close();
    await app.close();
  });

  test("offers its protocol beside a ticket, or is told so", async () => {
    const { app } = inspected();
    const made = await app.post("/api/v1/tickets", asViewer);
    const { ticket } = (made.json as { data: { ticket: string } }).data;
    await assert.rejects(
      app.ws("/api/v1/events", { headers: { host: "localhost" }, protocols: [ticket] }),
      (error: HandshakeRefused) => error.response.status === 400,
    );
    await app.close();
  });

  test("is an operator's to have when viewers have half of them", async () => {
    const { app, feed } = inspected();
    const viewers = [];
    const isFull = async (who: typeof asViewer) =>
      ((await app.post("/api/v1/tickets", who)).json as { data: { feed_full: boolean } }).data.feed_full;
    for (let i = 0; i < 32; i += 1) {
      assert.equal(await isFull(asViewer), false);
      viewers.push(await app.ws("/api/v1/events", asViewer));
    }
    // A browser is not told why it is refused: the ticket says it before.
    assert.deepEqual([await isFull(asViewer), await isFull(asOperator)], [true, false]);
    await assert.rejects(
      app.ws("/api/v1/events", asViewer),
      ({ response }: HandshakeRefused) =>
        response.status === 503 && (response.json as { code: string }).code === "FEED_FULL",
    );
    await app.ws("/api/v1/events", asOperator);
    assert.equal(feed.stats.clients, 33);

    await viewers[0]?.close();
    assert.equal(await isFull(asViewer), false);
    await app.ws("/api/v1/events", asViewer);
    assert.equal(feed.stats.clients, 33);

    for (let i = 33; i < 64; i += 1) await app.ws("/api/v1/events", asOperator);
    assert.equal(await isFull(asOperator), true);
    await assert.rejects(
      app.ws("/api/v1/events", asOperator),
      ({ response }: HandshakeRefused) => response.status === 503,
    );
    await app.close();
  });

  test("needs a token or a ticket, its own origin, and an upgrade, in this order", async () => {
    const { app } = inspected();
    const refused = async (headers: Record<string, string>): Promise<number> =>
      app.ws("/api/v1/events", { headers: { host: "localhost", ...headers }, protocols: [PROTOCOL] }).then(
        () => 101,
        (error: HandshakeRefused) => error.response.status,
      );
    const { authorization = "" } = asOperator.headers;

    assert.equal(await refused({}), 401);
    assert.equal(await refused({ authorization, origin: "http://evil.example" }), 403);
    assert.equal((await app.get("/api/v1/events", asOperator)).status, 426);
    assert.equal(await refused({ authorization, origin: "http://localhost" }), 101);
    await app.close();
  });
});
