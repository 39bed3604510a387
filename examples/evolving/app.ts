import { Framework, openStores } from "framework";

import { firstOrder, order } from "./orders.js";

const { STORES = "sqlite:.framework/evolving.db", VERSION = "2" } = process.env;

/** Before the deploy the first version, after it the second. */
export const app = () =>
  Framework.http()
    .stores(openStores(STORES))
    .readinessLivenessDefault()
    .post("/orders", VERSION === "1" ? firstOrder : order, { detached: true })
    .runStatus("/orders/:run_id");
