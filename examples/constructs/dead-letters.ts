// What failed for good is kept with its input, and done again when its cause is gone.

import { Axon, busKey, DlqPolicy, fault, MemoryDeadLetters, RetryPolicy, redrive } from "framework";

export interface Parcel {
  readonly to: string;
  readonly grams: number;
}

export interface Customs {
  declare(parcel: Parcel): string | undefined;
}

export const Customs = busKey<Customs>()("Customs");

/** In a program that must not lose them: a sink that writes to a database. */
export const letters = new MemoryDeadLetters({ maxLetters: 1000 });

export const ship = Axon.start<Parcel>("ship")
  .withVersion("2.1.0")
  .thenFn("round", ({ to, grams }) => ({ to, grams: Math.ceil(grams / 100) * 100 }))
  .thenFn("declare", { uses: { customs: Customs } }, (parcel, bus) => {
    const number = bus.customs.declare(parcel);
    return number === undefined ? fault({ kind: "customs-closed" }) : { ...parcel, number };
  })
  .thenFn("load", ({ number }) => `Loaded ${number}`)
  .withDlqSink(letters)
  .withDlqPolicy(DlqPolicy.retryThenSend(RetryPolicy.fixed(2, 0)));

/** Tries the oldest again, for instance when customs opens. Answers how many are done. */
export async function shipAgain(bus: Parameters<typeof ship.execute>[1]): Promise<number> {
  let done = 0;
  for (const { id } of letters.list({ axon: "ship", limit: 50 }))
    if ((await redrive(letters, id, ship, bus)).kind === "done") done += 1;
  return done;
}
