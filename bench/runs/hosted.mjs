// A server of Axons whose runs are kept, and what tells when a run has ended in the store.

import { Framework, openStores } from "../../dist/index.js";

/** `axons(runs)` makes the Axons. `ended(id)` resolves to the last entry of the run once it is kept. */
export async function hosted(url, axons) {
  const stores = openStores(url);
  const waiting = new Map();
  const append = async (id, known, entries, by) => {
    const answer = await stores.runs.append(id, known, entries, by);
    const last = entries.at(-1);
    if (last.kind === "ended" && answer !== false) {
      waiting.get(id)?.(last);
      waiting.delete(id);
    }
    return answer;
  };
  // Reads go to the store itself, which keeps them in private fields.
  const runs = { ...stores.runs, append };
  const made = axons(runs);
  const ingress = made.reduce(
    (http, axon) => http.post(`/${axon.name}`, axon, { detached: true }),
    Framework.http()
      .stores({ ...stores, runs })
      .runStatus("/runs/:run_id"),
  );
  const server = await ingress.bind("127.0.0.1:0").run();
  return {
    axons: made,
    runs: server.runs,
    ended: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    close: () => server.close(),
  };
}

export async function begun(runs, axon, input, runId) {
  const started = await runs.start(axon, input, { runId });
  if (started.kind !== "begun") throw new Error(`${runId} did not begin: ${JSON.stringify(started)}`);
}

/** Of each process its own ids: an arm's rounds share a database. */
export const idsOf = (name) => (n) => `${name}-${process.pid}-${n}`;
