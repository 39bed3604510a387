// An application with data of persons: stores, and a sink of its own.

import { Axon, Framework, openStores, Type } from "framework";
import type { ErasureSink, ErasureSubject } from "framework/compliance";

const Visit = Type.Object({ patient: Type.String() });
const visit = Axon.start("visit", Visit).withSubject(({ patient }) => patient);

/** With methods that need their object. */
class Letters implements ErasureSink {
  readonly name = "patient letters";
  readonly #letters = new Map([["ann", "Dear Ann"]]);

  count({ subject }: ErasureSubject): number {
    return this.#letters.has(subject) ? 1 : 0;
  }

  erase({ subject }: ErasureSubject) {
    return { erased: this.#letters.delete(subject) ? 1 : 0 };
  }

  async *values({ subject }: ErasureSubject) {
    if (subject === "broken") throw new Error("the cabinet is locked");
    yield { place: "letters", id: subject, value: this.#letters.get(subject) ?? null };
  }
}

export const erasedApp = (url: string) => ({
  app: Framework.http().stores(openStores(url)).post("/visits", visit),
  letters: new Letters(),
});
