// One run of six steps, begun or resumed: `node killed-run.ts FOLDER good|bad [N]`. It prints
// what the run comes to, or is killed at the Nth thing that happens.

import { appendFileSync } from "node:fs";
import { join } from "node:path";

import { Axon, Bus, fault, isFault, RunId, transition } from "framework";
import { FileRuns } from "./file-runs.js";

const [folder = "", how = "", killedAt = ""] = process.argv.slice(2);
const runs = new FileRuns(join(folder, "runs"));

let happened = 0;
const happens = (): void => {
  happened += 1;
  if (happened === Number(killedAt)) process.kill(process.pid, "SIGKILL");
};
/** What it does to the world, which nobody takes back. */
const done = (what: string): void => {
  appendFileSync(join(folder, "effects"), `${what}\n`);
  happens();
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const append: typeof runs.append = (id, known, entries) => {
  happens();
  const answer = runs.append(id, known, entries);
  happens();
  return answer;
};

const step = (at: number) =>
  transition({
    name: `step ${at}`,
    run: async (sum: number) => {
      done(`do ${at}`);
      await turn();
      happens();
      await turn();
      return sum + at;
    },
  });
const undo = (at: number) => async (): Promise<void> => {
  done(`undo ${at}`);
  await turn();
};

const axon = Axon.start<number>("killed")
  .withPersistenceStore({ ...runs, append })
  .thenCompensated(step(1), undo(1))
  .thenCompensated(step(2), undo(2))
  .then(step(3))
  .thenCompensated(step(4), undo(4))
  .then(step(5))
  .thenFn("last", (sum) => (how === "good" ? sum : fault("bad")));

const outcome =
  runs.read("run").length === 0 ? await axon.execute(0, Bus.of([[RunId, "run"]])) : await axon.resume("run");
process.stdout.write(JSON.stringify(isFault(outcome) ? { fault: outcome.error } : { outcome }));
