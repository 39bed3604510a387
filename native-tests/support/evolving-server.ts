// A server of one build of evolving-axons.ts, as a process of its own. It writes a line into a file for
// each step that it runs. Ends when its parent does.
//   STORE: URL. DONE: file. CHANGE and COLUMN: the new build; without CHANGE the old one.

import { appendFileSync } from "node:fs";
import { Axon, Framework, openStores, Stores, Type } from "framework";
import { type Column, newAxon, oldAxon } from "./evolving-axons.js";

const { STORE = "", DONE = "", CHANGE, COLUMN = "same version", LEASE_MS = "1000" } = process.env;

process.on("disconnect", () => process.exit(3));
const note = (what: string): void => appendFileSync(DONE, `${what}\n`);
const axon = CHANGE === undefined ? oldAxon(note) : newAxon(CHANGE, COLUMN as Column, note);

/** Never ends by itself: killed, it leaves a run that is at work. */
const held = Axon.start("held", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .thenFn("hold", () => {
    note(`${CHANGE === undefined ? "old" : "new"} hold`);
    return CHANGE === undefined ? new Promise<number>(() => {}) : 1;
  });

const server = await Framework.http()
  .stores(openStores(STORE), { leaseMs: Number(LEASE_MS), everyMs: 50 })
  .post("/orders", axon as typeof held, { detached: true })
  .post("/held", held, { detached: true })
  .runStatus("/runs/:run_id")
  .bind("127.0.0.1:0")
  .run();

process.on("message", async (runId: string) => {
  if (CHANGE === undefined) {
    await server.runs.start(axon as typeof held, 1, { runId });
    await server.runs.start(held, 1, { runId: `${runId}-held` });
  }
  process.send?.(await server.runs.result(runId));
});
process.send?.("ready");
