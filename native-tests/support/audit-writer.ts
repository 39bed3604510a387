// A process that writes to an audit log: `audit-writer URL NAME COUNT WRITERS [KEY ANCHOR]`. Prints the
// id of each event on a line once it is acknowledged, and ends when all are.

import { writeSync } from "node:fs";

import { fileAnchor, readSigningKey, signedAudit } from "framework/audit";
import { openAudit } from "framework/store";

const [url = "", name = "", count = "", writers = "", key, anchor] = process.argv.slice(2);

const sink = openAudit(url);
const log =
  key === undefined || anchor === undefined
    ? sink
    : signedAudit(sink, { key: readSigningKey(key), anchors: [fileAnchor(anchor)], everyEvents: 500 });

let next = 0;
async function write(): Promise<void> {
  while (next < Number(count)) {
    next += 1;
    const id = `${name}-${next}`;
    await log.append({ id, actor: name, action: "count", target: "events", metadata: { n: next } });
    // The pipe takes it before the next one is written: what is in it was acknowledged.
    writeSync(1, `${id}\n`);
  }
}

// Each writer has several events under way, as a server has.
await Promise.all(Array.from({ length: Number(writers) }, write));
await log.close();
