// A step that is tried again after a fault, as a policy says.

import { Axon, busKey, fault, isRuntimeFault, RetryPolicy, transition } from "framework";

interface Bank {
  charge(card: string, cents: number): Promise<"charged" | "declined" | "busy">;
}

const Bank = busKey<Bank>()("Bank");

const charge = transition({
  name: "charge",
  uses: { bank: Bank },
  async run({ card, cents }: { readonly card: string; readonly cents: number }, bus) {
    const answer = await bus.bank.charge(card, cents);
    return answer === "charged" ? { cents } : fault({ kind: answer });
  },
});

/** A bank that is busy may have time later; a card that is declined stays so. */
const isWorthIt = (error: unknown): boolean =>
  isRuntimeFault(error) || (error as { kind: string }).kind === "busy";

export const pay = Axon.start<{ card: string; cents: number }>("pay")
  .thenWithRetry(charge, RetryPolicy.exponential(4, 100, 2, 1000).retryIf(isWorthIt).deadline(5000))
  .thenFn("receipt", ({ cents }) => `Paid ${cents}`);
