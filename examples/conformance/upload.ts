import { Axon, multipart } from "framework";
import type { MemoryFile, Multipart } from "framework/http";

type Upload = Multipart<Readonly<Record<string, string | readonly string[]>>, MemoryFile>;

/** Tells what came, and what it is called and how large, but not what is in it. */
export const upload = Axon.start<Upload>("upload").thenFn("tell", ({ fields, files }) => ({
  files: files.map(({ name, filename, size, type }) => ({ name, filename, size, type })),
  fields,
}));

export const uploaded = { input: multipart() };
