import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Framework, openStores } from "framework";
import { until } from "../../support/patience.js";
import { skipWithoutRedis } from "../../support/redis-server.js";
import { oneRedis } from "../../support/redis-stores.js";
import { WebSocketClient } from "../../support/websocket-client.js";

const folder = mkdtempSync(join(tmpdir(), "rooms-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** As one process of a service has it. Its members tell the room what they are sent, and what they missed. */
async function hall(redis: string, service: string) {
  const missed: (number | undefined)[] = [];
  const server = await Framework.http({ processGuards: false, reporter: () => {} })
    .stores(openStores({ sql: `sqlite:${join(folder, "hall.db")}`, redis }, { service }))
    .ws("/", {
      open: (_, connection) => {
        const noted = (count: number | undefined) => {
          missed.push(count);
          return `missed ${count ?? "unknown"}`;
        };
        connection.subscribe("hall", { missed: noted });
      },
      message: (text, connection) => void connection.publish("hall", text),
    })
    .bind("127.0.0.1:0")
    .run();
  const members = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => WebSocketClient.open(server.url.slice("http://".length))),
    );
  return { server, missed, members };
}

const heard = ({ reads }: WebSocketClient): readonly string[] =>
  reads.flatMap((read) => (read.kind === "message" ? [read.message.payload.toString()] : []));

describe("a room of servers with one Redis", { skip: skipWithoutRedis }, () => {
  const redis = oneRedis();

  test("has twenty members over three servers, who miss nothing when one of the servers ends", async () => {
    const { url } = await redis();
    const halls = [await hall(url, "three"), await hall(url, "three"), await hall(url, "three")] as const;
    const [first, second, third] = await Promise.all([
      halls[0].members(7),
      halls[1].members(7),
      halls[2].members(6),
    ]);
    const staying = [...first.slice(1), ...second];
    const speaker = first[0] as WebSocketClient;
    await until("each hears the speaker", () => {
      speaker.text("begin");
      return [...staying, ...third].every(({ reads }) => reads.length > 0);
    });
    // Members that came before the connection are told that it is unknown.
    for (const { missed } of halls) missed.length = 0;
    for (let n = 0; n < 50; n += 1) speaker.text(`${n}`);
    const ending = halls[2].server.close();
    for (let n = 50; n < 100; n += 1) speaker.text(`${n}`);
    await ending;
    await until("all have heard all", () => staying.every((member) => heard(member).at(-1) === "99"));

    const all = Array.from({ length: 100 }, (_, n) => `${n}`);
    for (const member of staying)
      assert.deepEqual(
        heard(member).filter((text) => text !== "begin"),
        all,
      );
    assert.deepEqual([...halls[0].missed, ...halls[1].missed], []);
    for (const member of [...first, ...second, ...third]) member.destroy();
    for (const { server } of halls) await server.close();
  });
});
