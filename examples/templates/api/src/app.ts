// The API of the catalogue: an Axon for each thing a client can do, and the route that leads to it.

import { randomUUID } from "node:crypto";

import { Axon, combine, Framework, fault, json, ProblemDetail, path, respond, Type } from "framework";

import { librarian, verifierOf } from "./access.js";
import { Book, Books, StoredBook } from "./books.js";

const Id = Type.Object({ id: Type.String({ maxLength: 40 }) });

const unknownBook = new ProblemDetail({
  status: 404,
  code: "BOOK_UNKNOWN",
  title: "There is no book with this id",
});

const Filter = Type.Object({
  author: Type.Optional(Type.String()),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
});

// An Axon with an input schema takes the query and the path of a GET, and the JSON body of a POST.
const listBooks = Axon.start("list-books", Filter)
  .thenFn("list", { uses: { books: Books } }, ({ author, limit }, bus) => bus.books.list(author, limit))
  .withOutputSchema(Type.Array(StoredBook));

const showBook = Axon.start("show-book", Id)
  .thenFn(
    "find",
    { uses: { books: Books }, responses: [unknownBook] },
    async ({ id }, bus) => (await bus.books.find(id)) ?? fault(unknownBook),
  )
  .withOutputSchema(StoredBook);

const addBook = Axon.start("add-book", Book)
  .thenFn("save", { uses: { books: Books } }, (book, bus) => bus.books.save({ id: randomUUID(), ...book }))
  .thenFn("created", { responses: [{ status: 201 }] }, (book) =>
    respond({ status: 201, headers: { location: `/books/${book.id}` }, body: book }),
  );

interface Replacement {
  readonly path: { readonly id: string };
  readonly book: Book;
}

const replaceBook = Axon.start<Replacement>("replace-book")
  .thenFn(
    "replace",
    { uses: { books: Books }, responses: [unknownBook] },
    async ({ path: { id }, book }, bus) => {
      const { books } = bus;
      return (await books.find(id)) === undefined ? fault(unknownBook) : books.save({ id, ...book });
    },
  )
  .withOutputSchema(StoredBook);

const removeBook = Axon.start("remove-book", Id).thenFn(
  "remove",
  { uses: { books: Books }, responses: [unknownBook, { status: 204 }] },
  async ({ id }, bus) => ((await bus.books.remove(id)) ? undefined : fault(unknownBook)),
);

/** Reading needs no token. With an empty librarianToken every change is refused. */
export function ingress(librarianToken = process.env["LIBRARIAN_TOKEN"] ?? "") {
  const iam = { policy: librarian, verifier: verifierOf(librarianToken) };
  return Framework.http({ resources: [Books] })
    .readinessLivenessDefault()
    .get("/books", listBooks)
    .get("/books/:id", showBook)
    .post("/books", addBook, { iam, responseSchemas: { 201: StoredBook } })
    .put("/books/:id", replaceBook, { iam, input: combine({ path: path(Id), book: json(Book) }) })
    .delete("/books/:id", removeBook, { iam })
    .openapi("/openapi.json", { info: { title: "Catalogue", version: "1.0.0" } });
}
