// An application with planted faults for the fuzzer, one a route; the last routes have none.

import {
  Axon,
  busKey,
  Framework,
  fault,
  IamError,
  type IamIdentity,
  IamPolicy,
  ProblemDetail,
  path,
  Type,
} from "framework";
import { AuthGuard } from "framework/std";

export const Stock = busKey<{ left: number }>()("Stock");

const Order = Type.Object({
  sku: Type.String({ minLength: 1, maxLength: 20 }),
  qty: Type.Integer({ minimum: 1, maximum: 100 }),
});

const atBound = Axon.start("at-bound", Order).thenFn("price", ({ qty }) => {
  if (qty === 100) throw new RangeError("no price for 100");
  return { qty };
});

const twice = Axon.start("twice", Order).thenFn("weigh", ({ qty }) => {
  if (qty > 60) throw new RangeError("too heavy");
  if (qty < 55) throw new RangeError("too light");
  return { qty };
});

const unfit = Axon.start("unfit", Order)
  .thenFn("copy", ({ qty }) => ({ qty }))
  .withOutputSchema(Type.Object({ qty: Type.Integer({ maximum: 50 }) }), { check: "pass" });

const undeclared = Axon.start("undeclared", Order).thenFn("refuse", ({ qty }) =>
  qty > 50 ? fault(new ProblemDetail({ status: 418, code: "TOO_MANY", title: "Too many" })) : { qty },
);

const emptied = Axon.start("emptied", Order).thenFn(
  "take",
  (_, bus) => {
    const stock = bus.get(Stock);
    stock.left -= 1;
    if (stock.left < 0) throw new Error("sold out");
    return { left: stock.left };
  },
  { reads: [Stock] },
);

const stray = Axon.start("stray", Order).thenFn("later", ({ qty }) => {
  if (qty > 50) void Promise.reject(new Error("nothing awaits this"));
  return { qty };
});

const waits = Axon.start("waits", Type.Object({ id: Type.String() })).thenFn(
  "wait",
  () => new Promise<string>(() => {}),
);

const ok = Axon.start("ok").thenFn("say", () => ({ ok: true }));
const note = Axon.start<{ id: string }>("note").thenFn("show", ({ id }) => ({ id }));

const roles: Readonly<Record<string, readonly string[]>> = {
  clerk: ["clerk"],
  boss: ["boss"],
  fake: ["boss"],
};

/** It takes 'fake', who is a clerk, for a boss. */
const tokens = {
  verify: (token: string): IamIdentity | IamError =>
    roles[token] === undefined
      ? IamError.invalidToken("It is not known")
      : { subject: token, roles: roles[token], claims: {} },
};

export const ingress = () =>
  Framework.http({ resources: [Stock] })
    .post("/at-bound", atBound)
    .post("/twice", twice)
    .post("/unfit", unfit)
    .post("/undeclared", undeclared)
    .post("/emptied", emptied)
    .post("/stray", stray)
    .get("/bosses", ok, { guards: [new AuthGuard(IamPolicy.requireRole("boss"), tokens)] })
    .get("/notes/:id", note, { input: path(Type.Object({ id: Type.String() })) })
    .post(
      "/orders",
      Axon.start("order", Order).thenFn("keep", (order) => order),
    );

/** A request to it is never answered. */
export const waiting = () => Framework.http().get("/waits/:id", waits);

export const resources = () => ({ Stock: { left: 2 } });

const identity = (token: string, role: string) => ({
  roles: [role],
  headers: { authorization: `Bearer ${token}` },
});

export const identities = {
  clerk: identity("clerk", "clerk"),
  boss: identity("boss", "boss"),
  fake: identity("fake", "clerk"),
};
