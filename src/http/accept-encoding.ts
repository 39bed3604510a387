// Accept-Encoding (RFC 9110, section 12.5.3): which content codings a client takes, and which it likes best.

/** Those that are offered: zlib of this Node.js has no other that browsers take. */
export type Coding = "br" | "gzip";

/** How much a client wants of each, in thousandths: 0 for what it refuses. */
export interface AcceptedCodings {
  /** By name in lower case; "*" for those that are not named. */
  readonly weights: ReadonlyMap<string, number>;
}

const ELEMENT =
  /^[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*(?:;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/;

// RFC 9110, section 8.4.1.3.
const ALIASES: ReadonlyMap<string, string> = new Map([["x-gzip", "gzip"]]);

/** What is not named comes after all that is: it is taken, and wanted least. */
const UNNAMED_IDENTITY = 1;

/**
 * Reads the field, "" for one that is absent. Elements that are malformed count as if they
 * were not there: what is left uncoded, anybody can read. Of a coding that is named twice
 * the lower weight counts, so that nobody gets what it refused.
 */
export function parseAcceptEncoding(text: string): AcceptedCodings {
  const weights = new Map<string, number>();
  for (const element of text.split(",")) {
    const [, name, quality] = ELEMENT.exec(element) ?? [];
    if (name === undefined) continue;
    const lower = name.toLowerCase();
    const coding = ALIASES.get(lower) ?? lower;
    const weight = quality === undefined ? 1000 : Math.round(Number(quality) * 1000);
    weights.set(coding, Math.min(weight, weights.get(coding) ?? 1000));
  }
  return { weights };
}

/** The weight of a coding by its name in lower case, in thousandths: 0 for one that is refused or not taken. */
export function weightOf({ weights }: AcceptedCodings, coding: string): number {
  const named = weights.get(coding) ?? weights.get("*");
  return named ?? (coding === "identity" ? UNNAMED_IDENTITY : 0);
}

/** Whether what is left uncoded is refused. Where nothing else can be sent, that is sent all the same. */
export const refusesIdentity = (accepted: AcceptedCodings): boolean => weightOf(accepted, "identity") === 0;

/**
 * The one to send of those that are offered, the server's favourite first: it decides
 * between equals. Undefined for none, where the client would rather have what is uncoded,
 * or takes none of them.
 */
export function chosenCoding<C extends string>(
  accepted: AcceptedCodings,
  offered: readonly C[],
): C | undefined {
  let chosen: C | undefined;
  let best = Math.max(weightOf(accepted, "identity") - 1, 0);
  for (const coding of offered) {
    const weight = weightOf(accepted, coding);
    if (weight <= best) continue;
    chosen = coding;
    best = weight;
  }
  return chosen;
}
