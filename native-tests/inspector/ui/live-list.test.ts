import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";

import { createLiveList } from "../../../src/inspector/ui/state/live-list.js";

/** A server whose list is one number that goes up; its answers wait until they are let go. */
function served() {
  const list = createLiveList<number>();
  const answers: (() => void)[] = [];
  const questions = { count: 0 };
  let version = 1;
  const load = () => {
    questions.count += 1;
    const all = [version];
    return new Promise<number[]>((resolve) => answers.push(() => resolve(all)));
  };
  return {
    list,
    questions,
    ask: () => list.ask(load, (all) => all),
    change() {
      version += 1;
    },
    tell() {
      version += 1;
      list.set([version]);
    },
    async answer(which = 0) {
      const [one] = answers.splice(which % Math.max(1, answers.length), 1);
      one?.();
      await setImmediate();
      return answers.length;
    },
    version: () => version,
  };
}

describe("a list that is asked for and told of", () => {
  test("is what was answered, where nothing was told", async () => {
    const { list, ask, answer } = served();
    const asked = ask();
    await answer();

    assert.deepEqual(await asked, [1]);
    assert.deepEqual(list.get(), [1]);
  });

  test("keeps what was told since it was asked for, and is asked for again", async () => {
    const { list, ask, tell, answer, questions } = served();
    const asked = ask();
    tell();
    await answer();
    assert.deepEqual(list.get(), [2]);
    assert.equal(questions.count, 2);
    await answer();

    assert.deepEqual(await asked, [2]);
    assert.equal(questions.count, 2);
  });

  test("is what was asked for last, where an earlier question is answered later", async () => {
    const { list, ask, change, answer } = served();
    const earlier = ask();
    change();
    void ask();
    await answer(1);
    await answer(0);

    assert.deepEqual(await earlier, [1]);
    assert.deepEqual(list.get(), [2]);
  });

  test("is asked for no more than three times, however much is told", async () => {
    const { list, ask, tell, answer, questions } = served();
    const asked = ask();
    for (let n = 0; n < 3; n += 1) {
      tell();
      await answer();
    }

    assert.deepEqual(await asked, [3]);
    assert.equal(questions.count, 3);
    assert.deepEqual(list.get(), [4]);
  });

  test("never becomes older, in whatever order answers come, and is right in the end", async () => {
    const step = fc.oneof(
      fc.constantFrom("ask", "change", "tell" as const),
      fc.record({ answer: fc.nat(5) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
        const { list, ask, change, tell, answer, version } = served();
        let shown = 0;
        for (const one of steps) {
          if (one === "ask") void ask();
          else if (one === "change") change();
          else if (one === "tell") tell();
          else await answer((one as { answer: number }).answer);
          const [now = 0] = list.get();
          assert.ok(now >= shown, `${now} after ${shown}`);
          shown = now;
        }
        void ask();
        while ((await answer()) > 0);

        assert.deepEqual(list.get(), [version()]);
      }),
    );
  });
});
