import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Axon, EventChannel, Framework, openStores } from "framework";
import { EventListener } from "../../support/event-stream.js";
import { until } from "../../support/patience.js";
import { skipWithoutRedis } from "../../support/redis-server.js";
import { oneRedis } from "../../support/redis-stores.js";

const folder = mkdtempSync(join(tmpdir(), "channels-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** As one process of a service has it. */
async function newsroom(redis: string) {
  const news = new EventChannel<string>({ name: "news" });
  const stores = openStores({ sql: `sqlite:${join(folder, "news.db")}`, redis }, { service: "news" });
  const server = await Framework.http({ processGuards: false, reporter: () => {} })
    .stores(stores)
    .channels(news)
    .sse(
      "/news",
      Axon.start("listen").thenFn("listen", () => news.subscribe()),
    )
    .bind("127.0.0.1:0")
    .run();
  const listen = (...headers: readonly string[]) =>
    new EventListener(server.url.slice("http://".length), "/news", ...headers);
  return { news, server, stores, listen };
}

describe("event channels of servers with one Redis", { skip: skipWithoutRedis }, () => {
  const redis = oneRedis();

  test("give clients of each the events of all, and resume a client on another one without a gap", async () => {
    const { url, client } = await redis();
    const [here, there] = [await newsroom(url), await newsroom(url)];
    const [a, b] = [here.listen(), there.listen()];
    await until("both are clients", () => here.news.stats.clients + there.news.stats.clients === 2);
    here.news.publish({ data: "1" });
    there.news.publish({ data: "2" });
    await until("both have both", () => a.data.length === 2 && b.data.length === 2);
    a.socket.destroy();
    there.news.publish({ data: "3" });
    await here.server.close();
    const back = there.listen(`Last-Event-ID: ${a.reader.lastId}`);
    await until("it has what it missed", () => back.data.length > 0 && b.data.length === 3);
    const [late] = [await newsroom(url)];
    const again = late.listen(`Last-Event-ID: ${a.reader.lastId}`);
    await until("a new process has it, too", () => again.data.length > 0);

    assert.deepEqual([a.data, back.data, again.data], [b.data.slice(0, 2), ["3"], ["3"]]);
    assert.match(b.reader.lastId, /^\d{13}-\d+$/);
    assert.equal((await client.keys("news:channels:*")).length, 3);
    for (const { socket } of [b, back, again]) socket.destroy();
    for (const { server } of [there, late]) await server.close();
  });

  test("publish before they end what has not been sent", async () => {
    const { url } = await redis();
    const here = await newsroom(url);
    const count = 2000;
    for (let n = 0; n < count; n += 1) here.news.publish({ data: `x${n}` });
    await here.server.close();
    const there = await newsroom(url);
    const heard: string[] = [];
    there.stores.channels?.follow("news", 1000, {
      begun: (_, kept) => void heard.push(...kept.map(({ event }) => event.text)),
      event: () => {},
      failed: () => {},
    });
    await until("it has begun", () => heard.length > 0);

    assert.match(String(heard.at(-1)), new RegExp(`data: x${count - 1}\n`));
    await there.server.close();
  });
});
