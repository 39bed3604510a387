// An Axon that runs once at a time, whichever process it is started in.

import { Axon, busKey, ExecutionMode, FencingToken, MemoryLocks } from "framework";

export interface Day {
  readonly date: string;
}

/** A store that others write to as well. It keeps the greatest token that it has seen. */
export interface Ledger {
  sold(date: string): Promise<number>;
  /** False, and nothing is written, where a greater token was here before. */
  close(date: string, cents: number, token: number): Promise<boolean>;
}

export const Ledger = busKey<Ledger>()("Ledger");

/** Of this process alone: several need a provider that they share. */
export const locks = new MemoryLocks();

export const closeDay = Axon.start<Day>("close-day")
  .thenFn("add up", { uses: { ledger: Ledger } }, async ({ date }, bus) => ({
    date,
    cents: await bus.ledger.sold(date),
  }))
  // Where the lock was lost unnoticed, the token of the run that has it now is greater.
  .thenFn("write", { uses: { ledger: Ledger, fencingToken: FencingToken } }, async ({ date, cents }, bus) => {
    const isWritten = await bus.ledger.close(date, cents, bus.fencingToken);
    return isWritten ? `${date}: ${cents} cents` : `${date}: somebody else is at it`;
  })
  .withExecutionMode(ExecutionMode.singleton("close-day", 30_000, locks));
