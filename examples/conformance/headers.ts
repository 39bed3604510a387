// What clients may put into headers of answers, and cookies back and forth.

import { parse } from "cookie";
import {
  Axon,
  fault,
  header,
  isHeaderValue,
  ProblemDetail,
  query,
  respond,
  setCookie,
  Type,
} from "framework";

const unfit = new ProblemDetail({
  status: 400,
  code: "NAME_UNFIT",
  title: "The name cannot stand in a header: it takes visible ASCII, spaces and tabs",
});

/** The name in a header of the answer, where it can stand there. */
export const reflect = Axon.start<{ name: string }>("reflect").thenFn("reflect", ({ name }) =>
  isHeaderValue(name) ? respond({ headers: { "x-reflect": name }, body: "reflected" }) : fault(unfit),
);

export const reflected = { input: query(Type.Object({ name: Type.String() })) };

/** The cookies that came, by name, and one that goes back. */
export const cookies = Axon.start("cookies").thenFn(
  "tell",
  (_, bus) =>
    respond({
      cookies: [setCookie("seen", "yes", { maxAge: 3600 })],
      body: parse(bus.find(header("cookie")) ?? ""),
    }),
  { mayRead: [header("cookie")] },
);
