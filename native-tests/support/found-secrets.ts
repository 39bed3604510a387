// Secrets that are recognised again in whatever has been made of them.

import { randomBytes } from "node:crypto";

export interface MadeSecret {
  /** Where it is sent. */
  readonly place: string;
  readonly text: string;
  /** What no text may hold. */
  readonly traces: readonly string[];
}

export function makeSecret(place: string): MadeSecret {
  const text = randomBytes(12).toString("hex");
  return { place, text, traces: [text, ...inBase64(text)] };
}

/** A text in base64 or base64url, wherever in what is encoded it begins: without what its neighbours have a part in. */
function inBase64(text: string): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString("base64url");
    const begin = [0, 2, 3][offset] as number;
    const end = (offset + text.length) % 3 === 0 ? whole.length : whole.length - 1;
    return whole.slice(begin, end);
  });
}

/** Each place from which a text has something, with what stands around it. */
export function foundIn(text: string, secrets: readonly MadeSecret[]): readonly string[] {
  return secrets.flatMap(({ place, traces }) => {
    const [at] = traces.map((trace) => text.indexOf(trace)).filter((index) => index >= 0);
    return at === undefined ? [] : [`${place}: ${text.slice(Math.max(0, at - 160), at + 60)}`];
  });
}
