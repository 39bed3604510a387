// A library's desk: who is logged in may borrow what is on the shelf.

import {
  Axon,
  busKey,
  cookie,
  Framework,
  fault,
  form,
  ProblemDetail,
  RetryPolicy,
  respond,
  setCookie,
  Type,
  transition,
} from "framework";

export interface Shelf {
  take(book: string): Promise<"taken" | "lent" | "busy">;
}

export const Shelf = busKey<Shelf>()("Shelf");

const Reader = cookie("reader");
const busy = new ProblemDetail({ status: 503, code: "BUSY", title: "The shelf is busy" });
const lent = new ProblemDetail({ status: 409, code: "LENT", title: "The book is lent" });

const take = transition({
  name: "take",
  uses: { shelf: Shelf },
  responses: [busy, lent],
  async run({ book }: { readonly book: string }, bus) {
    const answer = await bus.shelf.take(book);
    if (answer === "taken") return { book };
    return fault(answer === "busy" ? busy : lent);
  },
});

export const lend = Axon.start("lend", Type.Object({ book: Type.String({ minLength: 1 }) }))
  .thenWithRetry(
    take,
    RetryPolicy.fixed(3, 100).retryIf((error) => error === busy),
  )
  .thenFn("note", { uses: { reader: Reader } }, ({ book }, bus) => ({ book, reader: bus.reader }));

const logIn = Axon.start<{ name: string }>("log in").thenFn(
  "remember",
  { responses: [{ status: 303 }] },
  ({ name }) => respond({ status: 303, headers: { location: "/" }, cookies: [setCookie("reader", name)] }),
);

export const library = () =>
  Framework.http({ resources: [Shelf] })
    .post("/login", logIn, {
      input: form(Type.Object({ name: Type.String({ minLength: 1, maxLength: 60 }) })),
    })
    .post("/loans", lend);
