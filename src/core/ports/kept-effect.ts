import type { Json } from "../wire/json-text.js";

/**
 * What a step that is declared as an effect came to, inside a step of the line: in parallel steps, in a
 * subgraph with policies. Replays give it back. An effect in the line has none of these: the next entry
 * of the log says what it came to.
 */
export interface KeptEffect {
  /** The id of its node. A node that ran more than once has several, in the order in which they settled. */
  readonly node: string;
  /** Absent if it could not be stored. */
  readonly outcome?: EffectOutcome;
  /** Values that it wrote on the Bus, by the names of the keys. */
  readonly bus?: { readonly [key: string]: Json };
}

type EffectOutcome =
  | { readonly kind: "next"; readonly value: Json }
  | { readonly kind: "fault"; readonly error: Json }
  | { readonly kind: "jump"; readonly label: string; readonly value: Json }
  | { readonly kind: "branch"; readonly id: string; readonly value: Json };
