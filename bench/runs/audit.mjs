// audit.mjs URL CONCURRENCY [each]: events of an audit log; with "each" one commit an event.

import { openAudit } from "../../dist/index.js";

import { measured } from "./measured.mjs";

const [url, concurrency, each] = process.argv.slice(2);
const log = openAudit(url);
let last = Promise.resolve();

/** After the one before has been committed. */
const inTurn = (append) => {
  last = last.then(append);
  return last;
};
const append = (n) => () =>
  log.append({
    actor: "alice",
    action: "order.pay",
    target: `order ${n}`,
    metadata: { amount: n, currency: "EUR" },
  });

await measured(
  Number(concurrency),
  (n) => (each === "each" ? inTurn(append(n)) : append(n)()),
  ({ position, event }) => position > 0 && event.hash.length === 64,
);
await log.close();
