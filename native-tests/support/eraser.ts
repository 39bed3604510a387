// A process that erases a subject: `eraser URL ID SUBJECT`. Prints a line as each sink begins, and the
// result last.

import { writeSync } from "node:fs";

import { eraseSubject } from "framework/compliance";
import { openStores } from "framework/store";

const [url = "", id = "", subject = ""] = process.argv.slice(2);

const stores = openStores(url);
const erased = await eraseSubject(
  { id, subject, reason: "a test" },
  { stores, onProgress: (sink) => writeSync(1, `${sink}\n`) },
);
writeSync(1, `${JSON.stringify(erased)}\n`);
await stores.close();
