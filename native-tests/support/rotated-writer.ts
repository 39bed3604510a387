// A process that keeps runs in an encrypted store and reads those of another: `rotated-writer URL KEYS
// NAME OTHER`. Asks for its keys again on "reload", and on "end" prints how many runs it kept and read.

import { EncryptionHook, keysInFile } from "framework/compliance";
import { openStores } from "framework/store";

const [url = "", keys = "", name = "", other = ""] = process.argv.slice(2);

const codec = new EncryptionHook({ keys: keysInFile(keys) });
const { runs, open, close } = openStores(url, { codec });
await open();
let isOver = false;
process.on("message", (message) => {
  if (message === "reload") void codec.reload().then(() => process.send?.("reloaded"));
  else isOver = true;
});
let kept = 0;
let read = 0;
while (!isOver) {
  const at = Date.now();
  await runs.append(`${name} ${kept}`, 0, [
    {
      ...{ kind: "begun", at, axon: "orders", version: "1", node: "orders/1", bus: {}, jumps: 0 },
      ...{ input: kept, subject: "x".repeat(43) },
    },
    { kind: "ended", at, output: kept },
  ]);
  kept += 1;
  const [begun] = await runs.read(`${other} ${read}`);
  if (begun?.kind !== "begun") continue;
  if (begun.input !== read) throw new Error(`run ${read} has ${JSON.stringify(begun.input)}`);
  read += 1;
}
process.send?.({ kept, read, current: codec.keys.current });
process.disconnect();
await close();
