import express from "express";

import { greeting, plaintext } from "../subjects/greeting.mjs";
import { host, port, ready } from "./arguments.mjs";

const app = express();
// Its best configuration: neither is a header that the others send.
app.set("etag", false);
app.set("x-powered-by", false);
app.get("/", (_, response) => {
  response.type("text").send(plaintext);
});
app.get("/json", (_, response) => {
  response.json(greeting());
});
app.listen(port, host, ready);
