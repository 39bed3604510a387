// Pictures of ferries: small ones in memory, scans on the disk.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Axon, busKey, Framework, fault, multipart, ProblemDetail, Type } from "framework";
import type { DiskFile, ExtractedOf, Multipart } from "framework/http";

const picture = multipart({
  schema: Type.Object({ caption: Type.String({ maxLength: 80 }), year: Type.Optional(Type.Integer()) }),
  files: { picture: { required: true, types: ["image/*"], maxSize: 512 * 1024 } },
});

/** `filename` is fit for a directory; `sent.filename` is what the client wrote. */
const show = Axon.start<ExtractedOf<typeof picture>>("show").thenFn(
  "show",
  ({ fields, files: { picture } }) => ({
    ...fields,
    picture: picture.filename,
    type: picture.type,
    first: picture.bytes[0],
  }),
);

const Archive = busKey<string>()("Archive");
const nameTaken = new ProblemDetail({
  status: 409,
  code: "NAME_TAKEN",
  title: "A scan has this name already",
});

/** What is not kept is removed when the run ends, whatever its outcome. */
const archive = Axon.start<Multipart<Readonly<Record<string, string | readonly string[]>>, DiskFile>>(
  "archive",
).thenFn("keep", { uses: { archive: Archive }, responses: [nameTaken] }, async ({ files }, bus) => {
  const folder = bus.archive;
  await mkdir(folder, { recursive: true });
  const scans = files.filter(({ size }) => size > 0);
  try {
    for (const scan of scans) await scan.keep(join(folder, scan.filename));
  } catch (error) {
    // It replaces nothing.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return fault(nameTaken);
    throw error;
  }
  return { kept: scans.length };
});

export const album = () =>
  Framework.http({ resources: [Archive] })
    .post("/pictures", show, { input: picture })
    .post("/scans", archive, { input: multipart({ files: "disk" }), bodyLimit: 256 * 1024 * 1024 });
