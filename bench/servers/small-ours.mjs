// A small route: four steps, no guards. `node small-ours.mjs PORT [RATIO|off]`, with a ratio beside an
// Inspector that records so many of the runs, or with one that is declared and off.

import { Axon, Framework } from "../../dist/index.js";
import { Total } from "../subjects/schemas.mjs";
import { totalSteps } from "../subjects/total.mjs";
import { host, port, ready } from "./arguments.mjs";
import { inspect } from "./inspected.mjs";

const { price, reduce, tax, sum } = totalSteps;
const total = Axon.start("total")
  .thenFn("price", price)
  .thenFn("reduce", reduce)
  .thenFn("tax", tax)
  .thenFn("sum", sum)
  .withOutputSchema(Total);

const ingress = Framework.http().get("/total", total).bind(`${host}:${port}`);
inspect(ingress, process.argv[3]);
await ingress.run();
ready();
