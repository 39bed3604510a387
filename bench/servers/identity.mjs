// One plaintext route, and who may ask for it. `node identity.mjs PORT neither|authorize|withIam`.

import { Axon, authorize, Framework, header, IamPolicy } from "../../dist/index.js";
import { cached, JwtKeys, JwtVerifier } from "../../dist/std/index.js";
import { plaintext } from "../subjects/greeting.mjs";
import { AUDIENCE, ISSUER, makeToken, SECRET } from "../subjects/guarded.mjs";
import { host, port, ready } from "./arguments.mjs";

const hello = Axon.start("hello").thenFn("greet", () => plaintext);
const Authorization = header("authorization");
const expected = `Bearer ${makeToken()}`;

function server() {
  switch (process.argv[3]) {
    case "authorize":
      return Framework.http()
        .layer(authorize((bus) => bus.get(Authorization) === expected, { reads: [Authorization] }))
        .get("/", hello);
    case "withIam": {
      const keys = JwtKeys.secret(SECRET);
      const verifier = new JwtVerifier({ algorithm: "HS256", keys, issuer: ISSUER, audience: AUDIENCE });
      return Framework.http().get("/", hello.withIam(IamPolicy.requireIdentity(), cached(verifier)));
    }
    default:
      return Framework.http().get("/", hello);
  }
}

await server().bind(`${host}:${port}`).run();
ready();
