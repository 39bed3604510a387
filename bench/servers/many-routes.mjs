// This framework with many routes: `node many-routes.mjs PORT COUNT`. Half of them
// are static, half have a parameter; all under one prefix, as in a program.

import { Axon, Framework } from "../../dist/index.js";
import { plaintext } from "../subjects/greeting.mjs";
import { host, port, ready } from "./arguments.mjs";

const count = Number(process.argv[3]);
const server = Framework.http();
for (let i = 0; i < count / 2; i += 1) {
  const axon = Axon.start(`hello-${i}`).thenFn("greet", () => plaintext);
  server.get(`/things/static-${i}`, axon);
  server.get(`/things/${i}/:id`, axon);
}
await server.bind(`${host}:${port}`).run();
ready();
