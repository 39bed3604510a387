// A server that leaves dead letters or re-drives them, to be killed.
//   STORE: URL. LEDGER: file of what its steps do. LETTERS: how many it leaves; without it, it re-drives
//   letters until there are none. KILL_AT: kills itself at the so-manieth line of its own.

import { openSync, writeSync } from "node:fs";

import { Axon, Framework, fault, openStores, RunEpoch, RunId, redrive, Stores, transition } from "framework";

const { STORE = "", LEDGER = "", LETTERS = "", KILL_AT = "" } = process.env;
process.on("disconnect", () => process.exit(3));

const ledger = openSync(LEDGER, "a");
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let lines = 0;

const step = (name: string) =>
  transition({
    name,
    reads: [RunId, RunEpoch],
    run: async (letter: number, bus) => {
      if (LETTERS !== "") return fault("down") as never;
      await pause(Math.random() * 10);
      writeSync(ledger, `${JSON.stringify([letter, name, bus.get(RunId), bus.get(RunEpoch)])}\n`);
      lines += 1;
      if (lines === Number(KILL_AT)) process.kill(process.pid, "SIGKILL");
      await pause(Math.random() * 10);
      return letter;
    },
  });

const stores = openStores(STORE);
const { deadLetters, runs } = stores;
const left = async (): Promise<number> => (await deadLetters.list({ limit: 1000 })).length;
const shop = Axon.start<number>("shop")
  .withPersistenceStore(Stores.mounted)
  .withDlqSink(deadLetters)
  .then(step("pay"))
  .then(step("ship"));
const server = await Framework.http()
  .stores(stores, { leaseMs: 500, maxResumptions: 1000 })
  .post("/shop", shop as never)
  .bind("127.0.0.1:0")
  .run();

if (LETTERS !== "") {
  for (let letter = 0; letter < Number(LETTERS); letter += 1)
    await server.runs.start(shop as never, letter as never, { runId: `order-${letter}` });
  while ((await left()) < Number(LETTERS)) await pause(5);
} else {
  const isOver = async (): Promise<boolean> => (await left()) === 0 && (await runs.unfinished()).length === 0;
  while (!(await isOver())) {
    const letters = (await deadLetters.list()).map(({ id }) => ({ id, at: Math.random() }));
    const shuffled = letters.sort((a, b) => a.at - b.at);
    await Promise.all(shuffled.slice(0, 4).map(({ id }) => redrive(deadLetters, id, shop as never)));
    await pause(5);
  }
}
await server.close();
process.exit(0);
