import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Axon, Framework, type Recorder, type Report } from "framework";
import { TestApp } from "framework/http";
import type { ExtensionHost } from "#http/plan/extension.js";
import { Recording } from "#inspector/recording/recording.js";
import { loadedExtension } from "../../support/loaded-extension.js";

/** An ingress with two circuits that a recording watches, and what its consumers were told. */
function recorded(sampleRatio?: number, others: readonly Recorder[] = []) {
  const ended: string[] = [];
  const reports: Report[] = [];
  const keeper: Recorder = { ended: ({ circuit }) => ended.push(circuit.name) };
  const recording = new Recording({ sampleRatio, consumers: [...others, keeper] });
  const ingress = Framework.http({ reporter: (report) => reports.push(report) })
    .get(
      "/one",
      Axon.start("one").thenFn("say", () => "one"),
    )
    .get(
      "/two",
      Axon.start("two").thenFn("say", () => "two"),
    );
  const shown: { host?: ExtensionHost } = {};
  const start = (host: ExtensionHost): undefined => {
    shown.host = host;
  };
  const { recorder } = recording;
  ingress.plan = {
    ...ingress.plan,
    extensions: [loadedExtension(() => ({ name: "inspector", recorder, start }))],
  };
  const app = new TestApp(ingress);
  /** How many of so many runs were traced. */
  const tracedOf = async (path: string, runs: number): Promise<number> => {
    ended.length = 0;
    for (let i = 0; i < runs; i += 1) await app.get(path);
    return ended.length;
  };
  return { app, recording, tracedOf, ended, reports, shown };
}

describe("the recording", () => {
  test("traces as many runs as the sample ratio says, and counts all", async () => {
    for (const [ratio, traced] of [
      [undefined, 8],
      [1, 8],
      [0.25, 2],
      [0, 0],
    ] as const) {
      const { app, tracedOf, shown } = recorded(ratio);
      await app.start();

      assert.equal(await tracedOf("/one", 8), traced, `${ratio}`);
      assert.equal(shown.host?.circuits[0]?.counts.entered[0], 8);
      await app.close();
    }
  });

  test("takes no other ratio", () => {
    for (const sampleRatio of [-0.1, 1.1, Number.NaN])
      assert.throws(() => new Recording({ sampleRatio, consumers: [] }), { code: "CONFIG_INVALID" });
  });

  test("follows the ratio, except for a circuit that is watched closely", async () => {
    const { app, recording, tracedOf } = recorded(0);
    recording.closely("one");

    assert.deepEqual([await tracedOf("/one", 4), await tracedOf("/two", 4)], [4, 0]);
    await app.close();
  });

  test("traces every run of a circuit while anybody looks closely, however they come and go", async () => {
    const looks = fc.array(fc.record({ circuit: fc.constantFrom("one", "two"), ends: fc.nat(5) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(looks, async (all) => {
        const { app, recording, tracedOf } = recorded(0);
        const open: { readonly circuit: string; readonly release: () => void }[] = [];
        for (const { circuit, ends } of all) {
          open.push({ circuit, release: recording.closely(circuit) });
          const [over] = open.splice(ends, 1);
          // Whoever says twice that he is gone was one all the same.
          over?.release();
          over?.release();
          for (const name of ["one", "two"]) {
            const isWatched = open.some((look) => look.circuit === name);
            assert.equal(await tracedOf(`/${name}`, 2), isWatched ? 2 : 0);
          }
        }
        await app.close();
      }),
      { numRuns: 20 },
    );
  });

  test("asks no run what no consumer asks, and asks those that come and go when a run begins", async () => {
    const asked: string[] = [];
    let isArmed = false;
    const steering: Recorder = {
      get beforeNode() {
        return isArmed
          ? (_run: unknown, node: string, input: unknown) => {
              asked.push(node);
              return input;
            }
          : undefined;
      },
    };
    const { app, recording } = recorded(1, [steering]);

    assert.deepEqual(
      ["beforeNode", "afterNode", "busAccess", "event", "answered"].filter(
        (call) => recording.recorder[call as keyof Recorder] !== undefined,
      ),
      [],
    );
    await app.get("/one");
    isArmed = true;
    await app.get("/two");
    isArmed = false;
    await app.get("/one");
    assert.deepEqual(asked, ["two/say"]);
    await app.close();
  });

  test("tells each consumer, whatever the others throw or reject with, which is reported", async () => {
    const failing: Recorder = {
      ended: () => {
        throw new Error("mine");
      },
    };
    const rejecting: Recorder = { ended: () => Promise.reject(new Error("mine")) as never };
    for (const consumers of [[failing], [rejecting], [failing, rejecting]]) {
      const { app, ended, reports } = recorded(1, consumers);
      await app.get("/one");
      await new Promise((resolve) => setImmediate(resolve));

      assert.deepEqual(ended, ["one"]);
      assert.deepEqual(
        reports.map(({ code }) => code),
        ["RECORDER_FAILED"],
      );
      await app.close();
    }
  });

  test("looks at no request of a run while none is sought", () => {
    let looked = 0;
    const recording = new Recording({ consumers: [] });
    const run = {
      get request(): undefined {
        looked += 1;
        return undefined;
      },
    };
    recording.recorder.ended?.(run as never, undefined);

    assert.equal(recording.seeks(run as never), false);
    assert.equal(looked, 0);
  });

  test("finds the run that answers a request, which is traced for that alone", async () => {
    const runIds: string[] = [];
    const keeper: Recorder = { ended: ({ runId }) => runIds.push(runId) };
    const { app, recording, shown, tracedOf } = recorded(0, [keeper]);
    await app.start();
    const host = shown.host as ExtensionHost;
    const ask = (target: string, circuit: string | undefined) =>
      recording.runOf(circuit, target, () => host.send({ method: "GET", target, requestId: target }));
    const found = await ask("/one", "one");
    const missed = [await ask("/nowhere", undefined), await ask("/two", undefined)];

    assert.equal(found.answer.status, 200);
    assert.deepEqual([found.runId], runIds);
    assert.deepEqual(
      missed.map(({ runId }) => runId),
      [undefined, undefined],
    );
    assert.equal(await tracedOf("/one", 2), 0);
    await app.close();
  });
});
