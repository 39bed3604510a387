// This framework, as an application uses it. `node ours.mjs PORT [request-ids]`.

import { Axon, Framework } from "../../dist/index.js";
import { greeting, plaintext } from "../subjects/greeting.mjs";
import { receiptOf } from "../subjects/order.mjs";
import { Greeting, Order, Receipt } from "../subjects/schemas.mjs";
import { host, port, ready } from "./arguments.mjs";

const hello = Axon.start("hello").thenFn("greet", () => plaintext);
const json = Axon.start("json").thenFn("greet", greeting).withOutputSchema(Greeting);
const order = Axon.start("order", Order).thenFn("receipt", receiptOf).withOutputSchema(Receipt);

const server = Framework.http().get("/", hello).get("/json", json).post("/order", order);
if (process.argv[3] === "request-ids") server.requestIdLayer();

await server.bind(`${host}:${port}`).run();
ready();
