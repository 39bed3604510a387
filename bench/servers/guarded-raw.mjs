// The guarded order by hand, behind no gate.

import { host, port, readyAside } from "./arguments.mjs";
import { guardedOrder } from "./guarded-by-hand.mjs";
import { native } from "./native.mjs";

native.App().post("/order", guardedOrder).listen(host, port, readyAside);
