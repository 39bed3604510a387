// A jump goes on at a label, earlier or later in the same Axon, with what that place takes.

import { Axon, busKey, fault, jump } from "framework";

export interface Vehicle {
  readonly metres: number;
  /** Decks are tried from this one up. */
  readonly deck: number;
}

/** Metres left on each deck. */
export const Decks = busKey<readonly number[]>()("Decks");

export const stow = Axon.start<Vehicle>("stow")
  .label("deck")
  .thenFn("measure", { uses: { decks: Decks } }, ({ metres, deck }, bus) => {
    const left = bus.decks[deck];
    return left === undefined ? fault({ kind: "full" }) : { metres, deck, left };
  })
  .thenFn("fit", { jumps: ["deck"] }, ({ metres, deck, left }) =>
    metres > left ? jump("deck", { metres, deck: deck + 1 }) : deck,
  )
  .thenFn("berth", (deck) => `deck ${deck + 1}`)
  // A ferry has few decks: more rounds than that are a mistake.
  .withMaxJumps(10);
