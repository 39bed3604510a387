import { requireKnownOptions } from "#core/invalid-option.js";
import { type ErasureOptions, sinksOf } from "./erase-subject.js";
import { erasureSubject } from "./erasure-subject.js";

/** A value and where it came from, or a sink that cannot list its values. */
export type ExportLine =
  | { readonly sink: string; readonly place: string; readonly id: string; readonly value: unknown }
  | { readonly sink: string; readonly missing: string };

/** The values that sinks keep of a person, decrypted. Throws CONFIG_INVALID, and what a sink throws. */
export async function* exportSubject(
  { subject, issuer }: { readonly subject: string; readonly issuer?: string },
  options: Pick<ErasureOptions, "stores" | "sinks">,
): AsyncGenerator<ExportLine> {
  requireKnownOptions("exportSubject", options, ["stores", "sinks"]);
  const person = erasureSubject("exportSubject", subject, issuer);
  for (const sink of sinksOf("exportSubject", options)) {
    const { name } = sink;
    if (sink.values === undefined) yield { sink: name, missing: "this sink lists no values" };
    else for await (const value of sink.values(person)) yield { sink: name, ...value };
  }
}
