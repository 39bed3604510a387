// Contract of the bus between the rooms of processes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RoomBus } from "#core/ports/room-bus.js";

export interface OpenedRooms {
  /** One for each process. */
  readonly members: readonly RoomBus[];
  /** Size of the queue above which messages are lost, in bytes. */
  readonly maxWaitingBytes: number;
  /** Resolves when all published messages have arrived. */
  readonly settled: () => Promise<void>;
}

interface Told {
  readonly topic: string;
  readonly text: string;
  readonly binary: boolean;
}

/** A process that publishes and listens. */
class Process {
  readonly told: Told[] = [];
  readonly failures: string[] = [];
  readonly bus: RoomBus;
  readonly leave: () => void;

  constructor(bus: RoomBus) {
    this.bus = bus;
    this.leave = bus.subscribe({
      message: (topic, message, binary) =>
        void this.told.push({ topic, text: Buffer.from(message as Uint8Array).toString("latin1"), binary }),
      failed: (message) => void this.failures.push(message),
    });
  }

  get texts(): readonly string[] {
    return this.told.map(({ text }) => text);
  }

  says(text: string): void {
    this.bus.publish("room", text, false);
  }
}

const bytesOf = (text: string): string => Buffer.from(text).toString("latin1");

/** Tests of a RoomBus. `open` is called at least once a test, with the number of processes to join. */
export function roomBusContract(
  name: string,
  open: (processes: number) => Promise<OpenedRooms> | OpenedRooms,
): void {
  const three = async () => {
    const opened = await open(3);
    const [a, b, c] = opened.members.map((bus) => new Process(bus));
    return { ...opened, a: a as Process, b: b as Process, c: c as Process };
  };

  describe(`rooms joined by ${name}`, () => {
    test("tell every other process, and not the one that published", async () => {
      const { a, b, c, settled } = await three();
      a.bus.publish("lobby", "hello", false);
      await settled();

      const hello = { topic: "lobby", text: "hello", binary: false };
      assert.deepEqual([a.told, b.told, c.told], [[], [hello], [hello]]);
    });

    test("hand on topics and texts of any characters, and bytes of any value", async () => {
      const { a, b, settled } = await three();
      const text = "\u0000 \ud83c\udf0a \u2028 \"'";
      a.bus.publish(`räume/${text}`, text, false);
      a.bus.publish(
        "bytes",
        Uint8Array.from({ length: 256 }, (_, i) => i),
        true,
      );
      a.bus.publish("text as bytes", Buffer.from(text), false);
      a.bus.publish("", "", true);
      await settled();

      assert.deepEqual(b.told, [
        { topic: `räume/${text}`, text: bytesOf(text), binary: false },
        { topic: "bytes", text: String.fromCharCode(...Array(256).keys()), binary: true },
        { topic: "text as bytes", text: bytesOf(text), binary: false },
        { topic: "", text: "", binary: true },
      ]);
    });

    test("hand on the bytes as they were when they were published", async () => {
      const { a, b, settled } = await three();
      const bytes = Buffer.from("--before--");
      a.bus.publish("room", bytes.subarray(2, 8), true);
      bytes.fill("x");
      await settled();

      assert.deepEqual(b.texts, ["before"]);
    });

    test("tell each listener of a process, until it leaves", async () => {
      const { a, b, settled } = await three();
      const second = new Process(b.bus);
      a.says("1");
      await settled();
      b.leave();
      a.says("2");
      await settled();

      assert.deepEqual([b.texts, second.texts], [["1"], ["1", "2"]]);
    });

    test("keep nothing from others where a listener throws, and tell of it", async () => {
      const { a, b, c, settled } = await three();
      b.leave();
      const failures: unknown[] = [];
      b.bus.subscribe({
        message: () => {
          throw new Error("broken");
        },
        failed: (message, error) => void failures.push([message, (error as Error).message]),
      });
      const other = new Process(b.bus);
      a.says("1");
      a.says("2");
      await settled();

      assert.deepEqual([other.texts, c.texts, a.failures], [["1", "2"], ["1", "2"], []]);
      assert.deepEqual(failures, [
        ["Messages to rooms of other processes were lost: 1, the last because a listener threw", "broken"],
      ]);
    });

    test("lose messages above their bound without failing the publisher, report it once, and continue", async () => {
      const { a, b, c, settled, maxWaitingBytes } = await three();
      const piece = Buffer.alloc(maxWaitingBytes >> 4);
      for (let n = 0; n < 40; n += 1) a.bus.publish("flood", piece, true);
      await settled();
      const arrived = b.told.length;
      a.says("behind it");
      await settled();

      assert.ok(arrived >= 4 && arrived <= 16, `${arrived} of 40 arrived`);
      for (const { texts } of [b, c]) assert.equal(texts.at(-1), "behind it");
      assert.equal(a.failures.length, 1);
      assert.match(
        a.failures[0] as string,
        /^Messages to rooms of other processes were lost: 1, the last because /,
      );
    });

    test("count empty messages too", async () => {
      const { a, b, settled, maxWaitingBytes } = await three();
      const count = maxWaitingBytes >> 6;
      for (let n = 0; n < count; n += 1) a.bus.publish("", "", false);
      await settled();

      assert.ok(b.told.length < count, `all ${count} waited`);
    });

    test("are silent in a process that has left, and send none of its messages", async () => {
      const { a, b, c, settled } = await three();
      a.says("on its way");
      await b.bus.dispose();
      await b.bus.dispose();
      b.says("to nobody");
      const late = new Process(b.bus);
      a.says("to others");
      await settled();

      assert.deepEqual([a.texts, b.texts, late.texts], [[], [], []]);
      assert.deepEqual(c.texts, ["on its way", "to others"]);
      assert.deepEqual([a.failures, b.failures], [[], []]);
    });

    test("deliver every message once, in the order of each process, whichever process publishes when", async () => {
      const random = below(1);
      for (let round = 0; round < 50; round += 1) {
        const { a, b, c, settled } = await three();
        const processes = [a, b, c];
        const steps = Array.from({ length: random(41) }, () => ({
          from: random(3),
          settles: random(2) === 1,
        }));
        for (const [n, { from, settles }] of steps.entries()) {
          processes[from]?.says(`${from} ${n}`);
          if (settles) await settled();
        }
        await settled();
        for (const [to, { texts }] of processes.entries())
          for (const from of processes.keys()) {
            const said = steps.flatMap((each, n) => (each.from === from ? [`${from} ${n}`] : []));
            const heard = texts.filter((text) => text.startsWith(`${from} `));
            assert.deepEqual(heard, from === to ? [] : said, `round ${round}`);
          }
      }
    });
  });
}

/** Pseudo-random whole numbers below a limit, equal for each seed (linear congruential generator of Numerical Recipes). */
function below(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
