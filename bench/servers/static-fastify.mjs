// Fastify with its plug-in for files: `node static-fastify.mjs PORT FOLDER`.

import files from "@fastify/static";
import Fastify from "fastify";

import { host, port, ready } from "./arguments.mjs";

const server = Fastify();
// `wildcard: false` makes a route of each file at the start, which is its fastest.
server.register(files, { root: process.argv[3], prefix: "/files/", wildcard: false });
await server.listen({ host, port });
ready();
