// A value for each run that needs it: made when a step reads it, and ended with the run.

import { Axon, busKey, Framework, fault, isFault, ProblemDetail, param } from "framework";

export interface Ledger {
  begin(): Transaction;
}
export interface Transaction {
  add(line: string): void;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

const Ledger = busKey<Ledger>()("Ledger");
const Tx = busKey<Transaction>()("Tx");

const noFish = new ProblemDetail({ status: 409, code: "NO_FISH", title: "There is no fish today" });

const sell = Axon.start("sell")
  .thenFn("book", { uses: { tx: Tx, fish: param("fish") } }, (_, bus) => bus.tx.add(`sold ${bus.fish}`))
  .thenFn("wrap", { uses: { fish: param("fish") }, responses: [noFish] }, (_, bus) =>
    bus.fish === "none" ? fault(noFish) : "Wrapped",
  );
const look = Axon.start("look").thenFn("look", () => "Fresh today");

export const market = () =>
  Framework.http({ resources: [Ledger] })
    .provide(Tx, (bus) => bus.get(Ledger).begin(), {
      // Awaited before the answer is written: who is told "Wrapped" has it in the ledger.
      dispose: (tx, outcome) => (isFault(outcome) ? tx.rollback() : tx.commit()),
    })
    .post("/sales/:fish", sell)
    .get("/", look);
