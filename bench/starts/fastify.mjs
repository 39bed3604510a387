import Fastify from "fastify";

import { host, port } from "../servers/arguments.mjs";

const Note = {
  type: "object",
  required: ["title", "tags"],
  properties: {
    title: { type: "string", minLength: 1 },
    tags: { type: "array", items: { type: "string" } },
  },
};

const server = Fastify();
server.get("/", (_, reply) => {
  reply.type("text/plain").send("ok");
});
server.post("/notes", { schema: { body: Note } }, (request, reply) => {
  reply.send(request.body);
});
await server.listen({ host, port });
