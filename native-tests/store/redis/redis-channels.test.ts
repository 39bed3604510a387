import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { RedisChannels, type RedisChannelsOptions } from "#store/redis/redis-channels.js";
import { RedisConnection } from "#store/redis/redis-connection.js";
import { redisUrl } from "#store/redis/redis-url.js";
import { until } from "../../support/patience.js";
import { type RedisServer, skipWithoutRedis, startRedis } from "../../support/redis-server.js";
import { silentProxy } from "../../support/silent-proxy.js";

const CHANNEL = "news";
const KEPT = 1000;

let server: RedisServer;
const opened: { readonly channels: RedisChannels; readonly connection: RedisConnection }[] = [];
let services = 0;

interface Place extends RedisChannelsOptions {
  readonly port?: number;
  readonly service?: number;
  readonly timeoutMs?: number;
}

/** The channels of one process. Without `service`: of a service of its own. */
function process(place: Place = {}) {
  if (place.service === undefined) services += 1;
  const { port = server.port, service = services, timeoutMs = 5000, ...options } = place;
  const url = redisUrl(`redis://127.0.0.1:${port}`, `channels-${service}`);
  const connection = new RedisConnection(url, { timeoutMs });
  const channels = new RedisChannels(connection, options);
  opened.push({ channels, connection });
  const texts: string[] = [];
  const ids: string[] = [];
  const begun: string[][] = [];
  const failures: string[] = [];
  return {
    ...{ channels, texts, ids, begun, failures, connection },
    say: (...said: readonly string[]) => {
      for (const text of said)
        channels.publish(CHANNEL, { id: undefined, event: "message", topic: "", text }, KEPT);
    },
    follow: async (events = KEPT) => {
      const had = begun.length;
      const end = channels.follow(CHANNEL, events, {
        begun: (_, kept) => void begun.push(kept.map(({ event }) => event.text)),
        event: ({ id, event }) => {
          texts.push(event.text);
          ids.push(id);
        },
        failed: (message) => void failures.push(message),
      });
      await until("the channel has begun", () => begun.length > had);
      return end;
    },
  };
}

describe("event channels in Redis", { skip: skipWithoutRedis }, () => {
  before(async () => {
    server = await startRedis(["--appendonly", "yes", "--appendfsync", "always"]);
  });
  after(async () => {
    for (const { channels, connection } of opened) {
      await channels.dispose();
      await connection.close();
    }
    await server.stop();
  });

  test("deliver the events of all processes in one order, to each process once", async () => {
    const all = [process(), process({ service: services }), process({ service: services })];
    for (const each of all) await each.follow();
    const said = all.map((_, of) => Array.from({ length: 400 }, (_, n) => `${of}:${n}`));
    for (let n = 0; n < 400; n += 1) for (const [of, each] of all.entries()) each.say(`${of}:${n}`);
    await until("all have all", () => all.every(({ texts }) => texts.length >= 1200));

    const [first] = all;
    for (const { texts, ids, begun } of all) {
      assert.deepEqual([texts, ids, begun], [first?.texts, first?.ids, [[]]]);
      // CO1: each process's events are in the order in which it published them.
      for (const [of, own] of said.entries())
        assert.deepEqual(
          texts.filter((text) => text.startsWith(`${of}:`)),
          own,
        );
    }
  });

  test("hand on every part of an event, with the id of its entry", async () => {
    const here = process();
    const parts: unknown[] = [];
    const text = "data: \u0000 räume \ud83c\udf0a\n\n";
    here.channels.publish(CHANNEL, { id: "7", event: "tick", topic: "räume", text }, KEPT);
    here.channels.follow(CHANNEL, KEPT, {
      begun: (before, kept) => void parts.push(before, ...kept),
      event: (entry) => void parts.push(entry),
      failed: () => {},
    });
    await until("it has arrived", () => parts.length === 2);

    const [start, { id, event }] = parts as [string, { id: string; event: unknown }];
    assert.deepEqual([start, event], ["0-0", { id: "7", event: "tick", topic: "räume", text }]);
    assert.match(id, /^\d{13}-\d+$/);
  });

  test("begin with the newest events that are kept, and go on behind them", async () => {
    const here = process();
    await here.follow();
    here.say("1", "2", "3");
    await until("they have arrived", () => here.texts.length === 3);
    const late = process({ service: services });
    await late.follow(2);
    here.say("4");
    await until("the next has arrived", () => late.texts.length === 1);

    assert.deepEqual([late.begun, late.texts], [[["2", "3"]], ["4"]]);
  });

  test("send once what was published while Redis was away", async () => {
    const here = process();
    const there = process({ service: services });
    await here.follow();
    await there.follow();
    here.say("1");
    await until("it has arrived", () => there.texts.length === 1);
    await server.kill();
    here.say("2", "3");
    there.say("4");
    await until("it was tried", () => (here.connection.failures().get("channels") ?? 0) > 0);
    await server.restart();
    here.say("5");
    await until("all have arrived", () => here.texts.length >= 5 && there.texts.length >= 5);

    assert.deepEqual(there.texts, here.texts);
    assert.deepEqual([...here.texts].sort(), ["1", "2", "3", "4", "5"]);
    assert.deepEqual(
      here.texts.filter((text) => text !== "4"),
      ["1", "2", "3", "5"],
    );
    assert.deepEqual([here.begun, here.failures], [[[]], []]);
  });

  test("count no failure where a single read fails", async () => {
    const reading = async (): Promise<readonly string[]> =>
      String(await server.client.call("CLIENT", "LIST"))
        .split("\n")
        .filter((line) => / cmd=xread /.test(line))
        .map((line) => /^id=(\d+)/.exec(line)?.[1] ?? "");
    const others = await reading();
    const here = process();
    await here.follow();
    let own: string | undefined;
    await until("it reads", async () => {
      own = (await reading()).find((id) => !others.includes(id));
      return own !== undefined;
    });
    await server.client.call("CLIENT", "UNBLOCK", own as string, "ERROR");
    here.say("1");
    await until("it reads again", () => here.texts.length === 1);

    assert.deepEqual([...here.connection.failures()], []);
  });

  // CO2: the append took effect, and its answer was lost.
  test("send an event again whose answer was lost, and keep it once", async () => {
    const proxy = await silentProxy(server.port);
    const here = process();
    const far = process({ service: services, port: proxy.port, timeoutMs: 200 });
    await here.follow();
    far.say("1");
    await until("it has arrived", () => here.texts.length === 1);
    assert.equal(proxy.silence(/XADD/), 1);
    far.say("2");
    await until("it has arrived", () => here.texts.length === 2);
    far.say("3");
    await until("the next has arrived", () => here.texts.includes("3"));
    await far.channels.dispose();
    await far.connection.close();
    proxy.stop();

    assert.deepEqual(here.texts, ["1", "2", "3"]);
    assert.ok((far.connection.failures().get("channels") ?? 0) > 0);
  });

  // RC1: the entry behind the loss names none before it.
  test("begin anew at an event before which others were lost", async () => {
    const here = process();
    await here.follow();
    here.say("1", "2");
    await until("they have arrived", () => here.texts.length === 2);
    await server.client.flushall();
    here.say("3");
    await until("it begins anew", () => here.begun.length === 2);
    here.say("4");
    await until("the next has arrived", () => here.texts.length === 3);

    assert.deepEqual(
      [here.begun, here.texts],
      [
        [[], ["3"]],
        ["1", "2", "4"],
      ],
    );
  });

  // RC2: without that nothing would be read until the clock has passed the last id.
  test("begin anew where a server is reached that has only older events", async () => {
    const here = process();
    await here.follow();
    here.say("1", "2");
    await until("they have arrived", () => here.texts.length === 2);
    const [key] = (await server.client.keys(`*channels-${services}:channels*`)).sort();
    await server.client
      .multi()
      .xdel(key as string, here.ids[1] as string)
      .call("CLIENT", "KILL", "TYPE", "normal")
      .exec();
    await until("it begins anew", () => here.begun.length === 2);

    assert.deepEqual(here.begun, [[], ["1"]]);
  });

  test("lose events above the bound while Redis is away, and report it once", async () => {
    const here = process({ maxWaitingBytes: 1000 });
    await here.follow();
    await server.kill();
    for (let n = 0; n < 20; n += 1) here.say(`${n}`);
    await server.restart();
    await until("what waited has arrived", () => here.texts.length >= 7);
    await until("the next one is taken", () => {
      here.say("behind it");
      return here.texts.includes("behind it");
    });

    assert.deepEqual(here.texts.slice(0, 8), ["0", "1", "2", "3", "4", "5", "6", "behind it"]);
    assert.deepEqual(here.failures, [
      "Events of a channel were lost: 1, the last because Redis has not taken 1000 bytes yet",
    ]);
  });

  test("keep about as many events as are asked for, and a thousand at least", async () => {
    const kept = async (events: number): Promise<number> => {
      const here = process();
      await here.follow();
      for (let n = 1; n <= 3000; n += 1) {
        here.channels.publish(CHANNEL, { id: undefined, event: "e", topic: "", text: `${n}` }, events);
        if (n % 500 === 0) await until("they have arrived", () => here.texts.length === n);
      }
      const late = process({ service: services });
      await late.follow(10_000);
      return late.begun[0]?.length ?? 0;
    };
    const [few, many] = [await kept(10), await kept(2000)];

    assert.ok(few >= 1024 && few < 1500, `${few} of 10 are kept`);
    assert.ok(many >= 2000 && many < 2500, `${many} of 2000 are kept`);
  });

  test("follow another channel beside those that are followed, and none after its end", async () => {
    const here = process();
    const end = await here.follow();
    const heard: string[] = [];
    const endOther = here.channels.follow("other", KEPT, {
      begun: () => void heard.push("begun"),
      event: ({ event }) => void heard.push(event.text),
      failed: () => {},
    });
    await until("the other has begun", () => heard.length === 1);
    end();
    here.say("1");
    here.channels.publish("other", { id: undefined, event: "e", topic: "", text: "2" }, KEPT);
    await until("it has arrived", () => heard.length === 2);
    endOther();
    await here.follow();

    assert.deepEqual([heard, here.texts, here.begun], [["begun", "2"], [], [[], ["1"]]]);
  });

  test("send what waits before they end", async () => {
    const here = process();
    here.say(...Array.from({ length: 1000 }, (_, n) => `${n}`));
    await here.channels.dispose();
    const late = process({ service: services });
    await late.follow();

    assert.equal(late.begun[0]?.length, 1000);
  });
});

describe("event channels that are followed only to describe an ingress", () => {
  test("connect to nothing", async () => {
    let attempts = 0;
    const connect = async (): Promise<never> => {
      attempts += 1;
      throw new Error("no server");
    };
    const channels = new RedisChannels({ keyOf: () => "key", connect, failed: () => {} } as never);
    channels.follow(CHANNEL, KEPT, { begun: () => {}, event: () => {}, failed: () => {} })();
    await turn();
    assert.equal(attempts, 0);

    const end = channels.follow(CHANNEL, KEPT, { begun: () => {}, event: () => {}, failed: () => {} });
    await turn();
    end();
    assert.equal(attempts, 1);
  });
});
