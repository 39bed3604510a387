// The native server with the same work by hand and nothing else: no gate, no
// router of ours, the shortest code that answers right requests rightly.

import fastJson from "fast-json-stringify";

import { greeting, plaintext } from "../subjects/greeting.mjs";
import { Greeting } from "../subjects/schemas.mjs";
import { host, port, ready } from "./arguments.mjs";
import { native } from "./native.mjs";
import { receiveOrder } from "./order-by-hand.mjs";

const writeGreeting = fastJson(Greeting);

native
  .App()
  .get("/", (response) => {
    response.writeHeader("content-type", "text/plain").end(plaintext);
  })
  .get("/json", (response) => {
    response.writeHeader("content-type", "application/json").end(writeGreeting(greeting()));
  })
  .post("/order", receiveOrder)
  .listen(host, port, ready);
