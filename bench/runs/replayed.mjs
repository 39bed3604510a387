// The program whose runs the suite replay replays: an Axon of 20 steps. `record` makes such runs.

import { Axon, Bus, MemoryRuns, RunId, transition } from "../../dist/index.js";

const STEPS = 20;
/** As a step of an application does: most run, some act on the world. */
const kinds = [{ pure: true }, {}, { pure: true }, {}, { effect: true }];

const runs = new MemoryRuns();
const lines = (n) => Array.from({ length: 10 }, (_, i) => ({ sku: `sku-${i}`, price: n + i }));

export const order = Array.from({ length: STEPS }, (_, i) => i).reduce(
  (axon, i) =>
    axon.then(
      transition({
        ...{ name: `step${i}`, ...kinds[i % kinds.length] },
        run: (value) => ({ ...value, total: value.total + value.lines[i % 10].price }),
      }),
    ),
  Axon.start("order").withPersistenceStore(runs),
);

/** `count` lines of JSON, as framework runs export writes them. */
export async function record(count) {
  const texts = [];
  for (let n = 0; n < count; n += 1) {
    const run_id = `run-${n}`;
    await order.execute({ total: 0, lines: lines(n) }, Bus.of([[RunId, run_id]]));
    texts.push(`${JSON.stringify({ run_id, axon: "order", entries: runs.read(run_id) })}\n`);
  }
  return texts.join("");
}
