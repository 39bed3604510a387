import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use, without what nothing holds any more. */
export function heapAfterCollection(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
