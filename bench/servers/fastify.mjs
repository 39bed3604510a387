import Fastify from "fastify";

import { greeting, plaintext } from "../subjects/greeting.mjs";
import { receiptOf } from "../subjects/order.mjs";
import { Greeting, Order, Receipt } from "../subjects/schemas.mjs";
import { host, port, ready } from "./arguments.mjs";

const server = Fastify();
server.get("/", (_, reply) => {
  reply.type("text/plain").send(plaintext);
});
server.get("/json", { schema: { response: { 200: Greeting } } }, (_, reply) => {
  reply.send(greeting());
});
server.post("/order", { schema: { body: Order, response: { 200: Receipt } } }, (request, reply) => {
  reply.send(receiptOf(request.body));
});
await server.listen({ host, port });
ready();
