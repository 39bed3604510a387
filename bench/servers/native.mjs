// The native server, loaded as every arm on top of it loads it.

import { createRequire } from "node:module";

const native = createRequire(import.meta.url)("uWebSockets.js");
// Without its banner header, as ours and the rest answer.
native._cfg("silent");

export { native };
