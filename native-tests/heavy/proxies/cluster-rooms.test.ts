// examples/cluster: rooms and streams of events of three machines, of which one is killed.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { Cluster, Host } from "../../../examples/cluster/cluster.js";
import { ask, clusterForTest, skipWithoutCluster, Watcher } from "../../support/cluster.js";
import { until } from "../../support/patience.js";
import { WebSocketClient } from "../../support/websocket-client.js";

const ROOM = "/room?name=tea";
const MEMBERS = 20;
const MESSAGES = 100;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

describe("rooms and streams of three machines", { skip: skipWithoutCluster }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await clusterForTest();
  });
  after(() => cluster?.stop());

  const hosts = () => cluster.hosts as readonly [Host, Host, Host];

  test("send what is said in a room to its members elsewhere, who miss nothing when a host is killed", async () => {
    const [a] = hosts();
    const members: { readonly client: WebSocketClient; readonly host: Host }[] = [];
    try {
      for (let i = 0; i < MEMBERS; i += 1) {
        const host = hosts()[i % 3] as Host;
        members.push({ host, client: await WebSocketClient.open(host.address, { path: ROOM }) });
      }
      const elsewhere = members.filter(({ host }) => host !== a).map(({ client }) => client);
      // A speaker has its message by the time that it was published.
      const say = async (speaker: WebSocketClient, text: string): Promise<void> => {
        speaker.text(JSON.stringify({ text }));
        await until("the speaker has it", () => heard(speaker).includes(text));
      };
      const [first] = members;
      await until("what is said on one host reaches all", async () => {
        await say(first?.client as WebSocketClient, "begin");
        return elsewhere.every((member) => heard(member).includes("begin"));
      });

      for (const number of upTo(MESSAGES)) {
        if (number === MESSAGES / 2) await a.stop("SIGKILL");
        await say(elsewhere[number % elsewhere.length] as WebSocketClient, `${number}`);
      }
      for (const member of elsewhere) {
        const numbers = () => heard(member).filter((text) => text !== "begin");
        await until("the last one reaches it", () => numbers().length >= MESSAGES);
        assert.deepEqual(
          numbers()
            .map(Number)
            .sort((x, y) => x - y),
          upTo(MESSAGES),
        );
      }
      assert.ok(first?.client.isOver);
    } finally {
      for (const { client } of members) client.destroy();
      await a.start();
    }
  });

  test("resume a stream of events on another host, without a gap and without a repetition", async () => {
    const watcher = new Watcher(cluster.address, "/levels");
    try {
      let published = 0;
      const publish = async (on: Host): Promise<void> => {
        published += 1;
        const { status } = await ask(on.address, "/levels", { json: { sku: "tea", pieces: published } });
        assert.equal(status, 200);
      };
      await until("it is connected", () => watcher.connections === 1);
      await publish(hosts()[0]);
      await until("the first reaches it", () => watcher.pieces.length === 1);
      // Which host serves the stream is not known: each is killed in turn.
      for (const host of hosts()) {
        const other = hosts().find((one) => one !== host) as Host;
        await host.stop("SIGKILL");
        for (let i = 0; i < 20; i += 1) await publish(other);
        await host.start();
        await until("the newest reaches it", () => watcher.pieces.at(-1) === published);
      }

      assert.deepEqual(watcher.pieces, upTo(published));
      assert.ok(watcher.connections >= 2, "it came back to another host");
    } finally {
      watcher.end();
    }
  });
});

/** What was said, by any speaker. */
const heard = ({ reads }: WebSocketClient): readonly string[] =>
  reads.flatMap((read) =>
    read.kind === "message" ? [JSON.parse(read.message.payload.toString()).text] : [],
  );
