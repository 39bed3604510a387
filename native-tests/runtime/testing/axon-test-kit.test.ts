import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, isFault, type Recorder } from "framework";
import { AxonTestKit } from "framework/runtime";

const Db = busKey<{ find(id: string): string }>()("Db");
const Plan = busKey<string>()("Plan");
const Found = busKey<string>()("Found");

const lookup = Axon.start<string>("lookup").thenFn(
  "find",
  async (id, bus) => {
    bus.set(Found, bus.get(Db).find(id));
    return `${bus.get(Plan)} ${bus.find(Found)}`;
  },
  { reads: [Db, Plan], writes: [Found] },
);
const fake = { find: (id: string) => `row ${id}` };

describe("AxonTestKit", () => {
  test("runs an Axon with resources and values, and shows the Bus afterwards", async () => {
    const { outcome, bus } = await new AxonTestKit({ Db: fake }).set(Plan, "gold").run(lookup, "7");

    assert.equal(outcome, "gold row 7");
    assert.equal(bus.find(Found), "row 7");
    assert.deepEqual([bus.has(Found), bus.has(busKey<string>()("Other"))], [true, false]);
  });

  test("gives each run a Bus of its own", async () => {
    const kit = new AxonTestKit({ Db: fake }).set(Plan, "gold");
    const [one, two] = [await kit.run(lookup, "1"), await kit.run(lookup, "2")];

    assert.deepEqual([one.bus.find(Found), two.bus.find(Found)], ["row 1", "row 2"]);
  });

  test("answers faults as outcomes, and shows what was written until then", async () => {
    const failing = Axon.start<string>("f")
      .thenFn("write", (_, bus) => bus.set(Found, "x"), { writes: [Found] })
      .thenFn("fail", () => {
        throw new Error("no");
      });
    const { outcome, bus } = await new AxonTestKit().run(failing, "1");

    assert.ok(isFault(outcome));
    assert.equal(bus.find(Found), "x");
  });

  test("rejects with what mounting would throw", async () => {
    await assert.rejects(new AxonTestKit({ Db: fake }).run(lookup, "1"), { code: "KEYS_UNPROVIDED" });
  });

  test("tells a recorder that is an instance of a class", async () => {
    class Log implements Recorder {
      readonly #told: string[] = [];
      mounted(): void {
        this.#told.push("mounted");
      }
      beforeNode(_: unknown, node: string, input: unknown): unknown {
        this.#told.push(`before ${node}`);
        return input;
      }
      event(_: unknown, { kind }: { kind: string }): void {
        this.#told.push(kind);
      }
      ended(): void {
        this.#told.push("ended");
      }
      get told(): string {
        return this.#told.join(", ");
      }
    }
    const recorder = new Log();
    await new AxonTestKit({}, { recorder }).run(
      Axon.start("a").thenFn("s", () => 1),
      undefined,
    );

    assert.equal(recorder.told, "mounted, before a/s, node_enter, node_exit, ended");
  });
});
