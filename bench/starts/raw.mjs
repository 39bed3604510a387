// The native server and one route: nothing starts sooner.

import { host, port } from "../servers/arguments.mjs";
import { native } from "../servers/native.mjs";

native
  .App()
  .get("/", (response) => {
    response.writeHeader("content-type", "text/plain").end("ok");
  })
  .listen(host, port, () => {});
