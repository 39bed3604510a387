// Parses Accept-Encoding (RFC 9110, section 12.5.3).

/** Weights in thousandths; 0 means refused. */
export interface AcceptedCodings {
  /** Weights by lower-case coding; "*" for codings without an entry. */
  readonly weights: ReadonlyMap<string, number>;
}

const ELEMENT =
  /^[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*(?:;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/;

// RFC 9110, section 8.4.1.3.
const ALIASES: ReadonlyMap<string, string> = new Map([["x-gzip", "gzip"]]);

/** Weight of identity if the header does not name it: accepted last. */
const UNNAMED_IDENTITY = 1;

/** Ignores malformed elements. For a repeated coding the lower weight counts. */
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

/** `coding` is in lower case. */
export function weightOf({ weights }: AcceptedCodings, coding: string): number {
  const named = weights.get(coding) ?? weights.get("*");
  return named ?? (coding === "identity" ? UNNAMED_IDENTITY : 0);
}

/** Such a client still gets an uncoded body if no coding is available. */
export const refusesIdentity = (accepted: AcceptedCodings): boolean => weightOf(accepted, "identity") === 0;

/** Chooses from `offered`; its order decides between equal weights. Undefined if identity is preferred. */
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
