// This framework: `node static-ours.mjs PORT FOLDER`.

import { Framework } from "../../dist/index.js";
import { host, port, ready } from "./arguments.mjs";

await Framework.http().serveDir("/files", process.argv[3]).bind(`${host}:${port}`).run();
ready();
