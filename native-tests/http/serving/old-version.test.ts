// An old Axon that completes the runs of its version, with the stores of an ingress.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import {
  Axon,
  Framework,
  isFault,
  MigrationStrategy,
  openStores,
  RunEpoch,
  Stores,
  signal,
  Type,
} from "framework";

import { until } from "../../support/patience.js";

const folder = mkdtempSync(join(tmpdir(), "old-"));
after(() => rmSync(folder, { recursive: true }));

const Go = signal<number>()("go", Type.Number());
const old = Axon.start("order", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .waitFor(Go)
  .thenFn("ship", { uses: { epoch: RunEpoch } }, (n, { epoch }) => `old ${n} in epoch ${epoch}`)
  .waitFor(Go, { name: "again", take: (said) => said });
const next = Axon.start("order", Type.Number())
  .withVersion("2.0.0")
  .withPersistenceStore(Stores.mounted, {
    migrations: [{ from: "1.0.0", strategy: MigrationStrategy.completeOnOldVersion(old) }],
  })
  .thenFn("ship", (n) => `new ${n}`);

describe("an old Axon that completes runs", () => {
  test("has the store and the host of the ingress on which the new one is mounted", async () => {
    const url = `sqlite:${join(folder, "app.db")}`;
    const serve = (axon: typeof old | typeof next) =>
      Framework.http({ processGuards: false })
        .stores(openStores(url))
        .runStatus("/runs/:run_id")
        .post("/orders", axon as typeof old, { detached: true })
        .bind("127.0.0.1:0")
        .run();
    const first = await serve(old);
    await first.runs.start(old, 1, { runId: "r" });
    await first.close();
    const second = await serve(next);
    const stored = openStores(url);
    const kindOf = async (sent: ReturnType<typeof second.runs.signal>): Promise<string> => {
      const answer = await sent;
      return isFault(answer) ? "fault" : answer.kind;
    };

    assert.equal(await kindOf(second.runs.signal("r", Go, 7)), "kept");
    await until("it waits again", async () => (await second.runs.history("r"))?.at(-1)?.kind === "waiting");
    assert.equal(await kindOf(second.runs.signal("r", Go, 8)), "kept");
    assert.deepEqual(await second.runs.result("r", { waitMs: 20_000 }), {
      ...{ kind: "completed", axon: "order", isOutputKept: true, output: "old 7 in epoch 2" },
    });
    // A host began it and woke it twice: the claims of hosts have numbers.
    const resumed = (await stored.runs.read("r")).filter(({ kind }) => kind === "resumed");
    assert.deepEqual(
      resumed.map((entry) => [entry.kind === "resumed" && entry.version, "claim" in entry]),
      [
        ["1.0.0", true],
        ["1.0.0", true],
      ],
    );
    await stored.close();
    await second.close();
  });
});
