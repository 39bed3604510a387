// A pilot book whose pages several edit: nobody writes over what another has written.

import { Axon, busKey, Framework, fault, header, ProblemDetail, param, text } from "framework";
import { ConditionalRequestGuard, GuardFault } from "framework/std";

interface Page {
  readonly text: string;
  readonly version: number;
}
const Book = busKey<Map<string, Page>>()("Book");

const noPage = new ProblemDetail({ status: 404, code: "NO_PAGE", title: "There is no such page" });
const etagOf = (page: Page | undefined) => page && `"v${page.version}"`;

const guarded = new ConditionalRequestGuard({
  reads: [Book, param("page")],
  required: true,
  current(bus) {
    const etag = etagOf(bus.get(Book).get(bus.get(param("page"))));
    return etag === undefined ? undefined : { etag };
  },
});

const show = Axon.start("show").thenFn(
  "show",
  { uses: { book: Book, page: param("page") }, responses: [noPage] },
  (_, bus) => bus.book.get(bus.page)?.text ?? fault(noPage),
);
const write = Axon.start<string>("write").thenFn(
  "write",
  { uses: { book: Book, page: param("page") }, mayUse: { ifMatch: header("if-match") } },
  (written, bus) => {
    const { book, page } = bus;
    const known = book.get(page);
    // Again: another may have written since the guard looked, while the body was on its way.
    if (bus.ifMatch !== etagOf(known)) return fault(new GuardFault("PRECONDITION_FAILED"));
    book.set(page, { text: written, version: (known?.version ?? 0) + 1 });
    return "Written";
  },
);

export const pilotBook = () =>
  Framework.http({ resources: [Book] })
    .get("/pages/:page", show, { guards: [guarded] })
    .put("/pages/:page", write, { guards: [guarded], input: text() });
