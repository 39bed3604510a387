// Members of a room that ask for what they missed, over a bus that the test makes miss it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, type WebSocketConnection } from "framework";
import type { RoomBus, RoomListener } from "framework/core";
import { TestApp } from "framework/http";

/** A bus whose gaps the test reports. */
function gapBus() {
  const watched: string[] = [];
  let listener: RoomListener | undefined;
  const bus: RoomBus = {
    publish: () => {},
    subscribe: (given) => {
      listener = given;
      return () => {};
    },
    watch: (topic) => {
      watched.push(topic);
      return () => void watched.splice(watched.indexOf(topic), 1);
    },
    dispose: () => {},
  };
  return { bus, watched, miss: (topic: string, count?: number) => listener?.missed?.(topic, count) };
}

const asked = (connection: WebSocketConnection, room: string) =>
  connection.subscribe(room, { missed: (count) => ({ missed: count ?? "unknown" }) });

/** Each message is an action on the room "news". */
const actions: Record<string, (connection: WebSocketConnection) => unknown> = {
  ask: (connection) => asked(connection, "news"),
  join: (connection) => connection.subscribe("news"),
  leave: (connection) => connection.unsubscribe("news"),
  silent: (connection) => connection.subscribe("news", { missed: () => undefined }),
  broken: (connection) =>
    connection.subscribe("news", {
      missed: () => {
        throw new Error("broken");
      },
    }),
  twice: (connection) => asked(connection, "news") && connection.subscribe("news"),
  close: (connection) => connection.close(),
};

function served() {
  const gaps = gapBus();
  const reports: string[] = [];
  const reporter = ({ code, message }: { readonly code: string; readonly message: string }) =>
    void reports.push(`${code} ${message}`);
  const ingress = Framework.http({ rooms: gaps.bus, reporter }).ws("/:first", {
    open: (_, connection) => {
      const { path } = connection.session;
      actions[path.slice(1)]?.(connection);
    },
    message: (message, connection) => String(actions[String(message)]?.(connection)),
  });
  return { ...gaps, reports, app: new TestApp(ingress) };
}

describe("a member of a room that asks for missed messages", () => {
  test("gets a message of its own when messages did not arrive, with their number or without", async () => {
    const { app, miss } = served();
    await using _ = app;
    const [early, late, other] = [await app.ws("/twice"), await app.ws("/none"), await app.ws("/join")];
    late.send("ask");
    assert.equal(await late.next(), "true");
    miss("news", 3);
    miss("sports", 1);
    miss("news");
    other.send("join");

    for (const member of [early, late])
      assert.deepEqual(
        [JSON.parse(String(await member.next())), JSON.parse(String(await member.next()))],
        [{ missed: 3 }, { missed: "unknown" }],
      );
    assert.equal(await other.next(), "true");
  });

  test("is watched for until it leaves, closes or is gone, and once for all members", async () => {
    const { app, watched, miss } = served();
    await using _ = app;
    const members = [await app.ws("/ask"), await app.ws("/ask"), await app.ws("/ask"), await app.ws("/join")];
    assert.deepEqual(watched, ["news"]);
    const [leaving, closing, gone, joined] = members;
    leaving?.send("leave");
    assert.equal(await leaving?.next(), "true");
    closing?.send("close");
    await closing?.closed;
    assert.deepEqual(watched, ["news"]);
    void gone?.close();
    await gone?.closed;
    miss("news", 1);
    leaving?.send("join");
    joined?.send("join");

    assert.deepEqual([watched, await leaving?.next(), await joined?.next()], [[], "true", "true"]);
  });

  test("keeps asking where it subscribes again, and asks by the newest message", async () => {
    const { app, watched, miss } = served();
    await using _ = app;
    const member = await app.ws("/ask");
    const after = async (action: string, answers: number): Promise<unknown> => {
      member.send(action);
      assert.equal(await member.next(), "true");
      miss("news", 1);
      return answers === 0 ? "nothing" : member.next();
    };
    const heard = [await after("join", 1), await after("silent", 0), await after("ask", 1)];

    assert.deepEqual(heard, ['{"missed":1}', "nothing", '{"missed":1}']);
    assert.equal(watched.length, 1);
  });

  test("that throws keeps nothing from the others, and is reported", async () => {
    const { app, miss, reports } = served();
    await using _ = app;
    const [broken, other] = [await app.ws("/broken"), await app.ws("/ask")];
    miss("news", 2);

    assert.equal(await other.next(), '{"missed":2}');
    broken.send("join");
    assert.equal(await broken.next(), "true");
    assert.deepEqual(reports, ["ROOMS_FAILED The missed of a subscription threw"]);
  });
});

describe("a handshake that is refused after its room was asked for", () => {
  test("leaves nothing watched", async () => {
    const { bus, watched } = gapBus();
    const ingress = Framework.http({ rooms: bus, reporter: () => {} }).ws("/", {
      open: (_, connection) => {
        asked(connection, "news");
        throw new Error("refused");
      },
      message: () => undefined,
    });
    await using app = new TestApp(ingress);
    await assert.rejects(app.ws("/"));

    assert.deepEqual(watched, []);
  });
});
