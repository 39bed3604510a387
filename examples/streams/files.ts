// Streams of all makes: a file, what another service answers, a Blob.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

import { Axon, Framework, fault, ProblemDetail, respond } from "framework";

const BACKUP = new URL("backup.csv", import.meta.url);
const gone = new ProblemDetail({ status: 404, code: "BACKUP_GONE", title: "There is no backup" });
const down = new ProblemDetail({ status: 502, code: "PRINTER_DOWN", title: "The printer's answer failed" });

/** Its length is known, so it is said: clients show how far they are. */
const backup = Axon.start("backup").thenFn("open", async () => {
  const file = await stat(BACKUP).catch(() => undefined);
  if (file === undefined) return fault(gone);
  return respond({ body: createReadStream(BACKUP), length: file.size });
});

/** Passed on as it comes: the other service is not read faster than our client reads. */
const labels = (printer: string) =>
  Axon.start("labels").thenFn("ask", async (_, bus) => {
    const { ok, body } = await fetch(printer, { signal: bus.signal });
    return ok && body !== null
      ? respond({ headers: { "content-type": "application/pdf" }, body })
      : fault(down);
  });

const note = Axon.start("note").thenFn(
  "write",
  () => new Blob(["closed on Mondays"], { type: "text/plain" }),
);

export const files = (printer: string) =>
  Framework.http().get("/backup", backup).get("/labels", labels(printer)).get("/note", note);
