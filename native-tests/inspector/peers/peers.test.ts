import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Type } from "framework";
import { Peers } from "#inspector/peers/peers.js";
import { subject } from "#inspector/peers/subject.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";

const WAIT_MS = 500;

const anything = (about: string) => subject(about, Type.Unknown());
const ask = async (peers: Peers, about: string, input?: unknown) =>
  (await peers.askAll(anything(about), input)).answers;

/** Processes that hear each other. */
function processes(count: number, running = count) {
  const rooms = new MemoryRooms();
  const clock = new ManualClock();
  const peers = Array.from(
    { length: running },
    (_, i) => new Peers({ bus: rooms.join(), expected: count - 1, clock, pid: i + 1, waitMs: WAIT_MS }),
  );
  return { rooms, clock, peers: peers as [Peers, ...Peers[]] };
}

describe("peers", () => {
  test("answer what they are asked, each with its process", async () => {
    const { peers } = processes(3);
    for (const [at, peer] of peers.entries())
      peer.answers("double", async (input) => {
        // The second is long done when the third answers.
        for (let turns = 0; turns < 5 * at; turns += 1) await setImmediate();
        return [at, Number(input) * 2];
      });

    assert.deepEqual(await ask(peers[0], "double", 21), [
      { pid: 2, value: [1, 42] },
      { pid: 3, value: [2, 42] },
    ]);
  });

  test("are not waited for where they do not run", async () => {
    const { peers, clock } = processes(3, 2);
    peers[1]?.answers("name", () => "second");
    const asked = ask(peers[0], "name");
    // The question takes a turn, and so does the answer.
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
    await clock.advance(WAIT_MS);

    assert.deepEqual(await asked, [{ pid: 2, value: "second" }]);
  });

  test("are left out where they fail, do not know the question or answer too much", async () => {
    const { peers } = processes(4);
    peers[1]?.answers("all", () => {
      throw new Error("not now");
    });
    peers[2]?.answers("all", async () => "x".repeat(16 * 1_048_576));

    assert.deepEqual(await ask(peers[0], "all"), []);
    assert.deepEqual(await peers[0].askAll(anything("all")), { answers: [], silent: 3 });
  });

  test("that have nothing to say are not silent", async () => {
    const { peers } = processes(3);
    peers[1]?.answers("mine", () => undefined);
    peers[2]?.answers("mine", (name) => name);

    assert.deepEqual(await peers[0].askAll(anything("mine"), "x"), {
      answers: [{ pid: 3, value: "x" }],
      silent: 0,
    });
  });

  test("are waited for until the first has something to say, where one is enough", async () => {
    const { peers } = processes(3);
    peers[1]?.answers("mine", () => new Promise(() => {}));
    peers[2]?.answers("mine", () => "third");
    const { answers } = await peers[0].askAll(anything("mine"), null, { first: true });

    assert.deepEqual(answers, [{ pid: 3, value: "third" }]);
  });

  test("answer alone where they alone are asked", async () => {
    const { peers } = processes(4);
    for (const [at, peer] of peers.entries()) peer.answers("name", () => at);

    assert.deepEqual(await peers[0].askAll(anything("name"), null, { to: 3 }), {
      answers: [{ pid: 3, value: 2 }],
      silent: 0,
    });
  });

  test("hear what they are told, and who throws then harms nobody", async () => {
    const { peers } = processes(3);
    const heard: unknown[] = [];
    peers[1]?.hears(anything("news"), () => {
      throw new Error("not now");
    });
    peers[2]?.hears(anything("news"), (input, pid) => heard.push([input, pid]));
    peers[0].tell("news", { all: "well" });
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();

    assert.deepEqual(heard, [[{ all: "well" }, 1]]);
  });

  test("keep apart what is asked at the same time", async () => {
    const { peers } = processes(2);
    peers[1]?.answers("echo", (input) => input);
    const inputs = Array.from({ length: 48 }, (_, i) => i);

    const answers = await Promise.all(inputs.map((input) => ask(peers[0], "echo", input)));

    assert.deepEqual(
      answers.map(([answer]) => answer?.value),
      inputs,
    );
  });

  test("are not asked by more than 48 at once who only look; what steers goes out all the same", async () => {
    const { peers, clock } = processes(2);
    peers[1]?.answers("name", () => new Promise(() => {}));
    peers[1]?.answers("steer", () => "done");
    const asked = Array.from({ length: 49 }, () => ask(peers[0], "name"));

    assert.deepEqual(await peers[0].askAll(anything("name")), { answers: [], silent: 1 });
    assert.deepEqual(await asked[48], []);
    assert.deepEqual(await peers[0].askAll(anything("steer"), null, { steers: true }), {
      answers: [{ pid: 2, value: "done" }],
      silent: 0,
    });
    await clock.advance(WAIT_MS);
    assert.equal((await Promise.all(asked)).length, 49);
    // Those that are over count no more.
    peers[1]?.answers("name", () => "second");
    assert.deepEqual(await ask(peers[0], "name"), [{ pid: 2, value: "second" }]);
  });

  test("read no answers but those that they asked for", async () => {
    const { rooms, peers } = processes(3);
    for (const peer of peers) peer.answers("name", () => "somebody");
    const topics: string[] = [];
    const texts: string[] = [];
    rooms.join().subscribe({
      message: (topic, message) => {
        topics.push(topic);
        texts.push(String(message));
      },
      failed: () => {},
    });
    await ask(peers[0], "name");
    await ask(peers[1] as Peers, "name");
    await setImmediate();

    const answered = topics.filter((_, at) => texts[at]?.includes('"answer"'));
    const own = peers.map(({ id }) => `framework:inspector@${id}`);
    assert.deepEqual(answered, [own[0], own[0], own[1], own[1]]);
    // The question's own topic is read by all.
    assert.ok(!texts.some((text, at) => topics[at] === "framework:inspector" && text.includes('"answer"')));
  });

  test("answer less where all of it would be too long", async () => {
    const { peers } = processes(2);
    const half = (text: unknown) => String(text).slice(String(text).length / 2);
    peers[1]?.answers("long", () => "x".repeat(4_000_000), half);
    peers[1]?.answers(
      "endless",
      () => ["x".repeat(17_000_000)],
      () => undefined,
    );

    const [answer] = await ask(peers[0], "long");
    assert.equal(String(answer?.value).length, 2_000_000);
    assert.deepEqual(await peers[0].askAll(anything("endless")), { answers: [], silent: 1 });
  });

  test("answer in pieces what is too long for one message and has no shorter form", async () => {
    const { rooms, peers } = processes(3);
    // Of several bytes and characters each, so that pieces end within one.
    const long = (pid: number) => [pid, `"\\${"\u{1f9ed}é\n".repeat(600_000)}`];
    for (const pid of [2, 3]) peers[pid - 1]?.answers("long", () => long(pid));
    const lengths: number[] = [];
    rooms.join().subscribe({ message: (_, text) => lengths.push(text.length), failed: () => {} });
    const { answers, silent } = await peers[0].askAll(anything("long"));

    assert.deepEqual(answers, [
      { pid: 2, value: long(2) },
      { pid: 3, value: long(3) },
    ]);
    assert.equal(silent, 0);
    assert.ok(Math.max(...lengths) <= 2_097_152 + 200, "No message is longer than an answer may be");
  });

  test("hold few long answers, each for as long as it is fetched", async () => {
    const { rooms, clock, peers } = processes(2);
    peers[1]?.answers("long", () => "x".repeat(3_000_000));
    const stranger = rooms.join();
    const question = { kind: "ask", from: "nobody", to: null, about: "long", input: null };
    for (let n = 0; n < 4; n += 1)
      stranger.publish("framework:inspector", JSON.stringify({ ...question, id: `s-${n}` }), false);

    assert.deepEqual(await peers[0].askAll(anything("long")), { answers: [], silent: 1 });
    await clock.advance(2000);
    const { answers } = await peers[0].askAll(anything("long"));
    assert.equal(String(answers[0]?.value).length, 3_000_000);
    // What is fetched whole is not held any more.
    for (let n = 0; n < 5; n += 1) assert.equal((await ask(peers[0], "long")).length, 1);
  });

  test("hold nothing once they are closed", async () => {
    const { clock, peers } = processes(2);
    let answer = (_: string): void => {};
    peers[1]?.answers("long", () => new Promise<string>((resolve) => (answer = resolve)));
    const asked = peers[0].askAll(anything("long"));
    await setImmediate();
    peers[1]?.close();
    answer("x".repeat(3_000_000));
    await clock.advance(WAIT_MS);
    await asked;

    assert.equal(clock.timers, 0);
  });

  test("have not answered where they end between two pieces", async () => {
    const { clock, peers } = processes(2);
    peers[1]?.answers("long", () => "x".repeat(3_000_000));
    const asked = peers[0].askAll(anything("long"));
    peers[1]?.close();
    await clock.advance(WAIT_MS);

    assert.deepEqual(await asked, { answers: [], silent: 1 });
  });

  test("are not harmed by what is no message of theirs", async () => {
    const { rooms, peers } = processes(2);
    peers[1]?.answers("name", () => "second");
    peers[1]?.hears(anything("news"), () => {});
    const stranger = rooms.join();
    for (const text of [
      "",
      "null",
      "[1]",
      '{"kind":"answer","id":"x"}',
      '{"kind":"ask"}',
      '{"kind":"next"}',
      '{"kind":"piece"}',
      "{",
    ])
      stranger.publish("framework:inspector", text, false);
    for (const text of ["", "null", "{"]) stranger.publish("framework:inspector:news", text, false);
    stranger.publish("room", '{"kind":"ask","id":"1","about":"name"}', false);

    assert.deepEqual(await ask(peers[0], "name"), [{ pid: 2, value: "second" }]);
  });

  test("have not answered where what they say is not of its shape, in one piece or several", async () => {
    const { peers } = processes(4);
    const names = subject("names", Type.Array(Type.String()));
    peers[1]?.answers("names", () => ["ada"]);
    peers[2]?.answers("names", () => ["ada", 7]);
    peers[3]?.answers("names", () => ["x".repeat(3_000_000), 7]);

    assert.deepEqual(await peers[0].askAll(names), { answers: [{ pid: 2, value: ["ada"] }], silent: 2 });
  });

  test("are waited for beyond one whose answer is not of its shape, where one is enough", async () => {
    const { peers } = processes(3);
    const ready: (() => void)[] = [];
    peers[1]?.answers("name", () => 7);
    peers[2]?.answers("name", () => new Promise((resolve) => ready.push(() => resolve("third"))));
    const asked = peers[0].askAll(subject("name", Type.String()), null, { first: true });
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
    ready[0]?.();

    assert.deepEqual(await asked, { answers: [{ pid: 3, value: "third" }], silent: 1 });
  });

  test("do not hear what is not of its shape", async () => {
    const { peers } = processes(2);
    const heard: string[] = [];
    peers[1]?.hears(subject("news", Type.String()), (said) => heard.push(said));
    for (const said of [7, null, { text: "bad" }, "good"]) peers[0].tell("news", said);
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();

    assert.deepEqual(heard, ["good"]);
  });

  test("let go of who asks when they close", async () => {
    const { peers } = processes(2, 1);
    const asked = ask(peers[0], "name");
    peers[0].close();

    assert.deepEqual(await asked, []);
  });
});
