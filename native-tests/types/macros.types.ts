// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import { Axon, branch, busKey, Framework, json, jump, param, query, Type, text } from "framework";
import { TestApp } from "framework/http";
import { routes } from "framework/macros";

const Db = busKey<{ q(s: string): number }>()("Db");
const Plan = busKey<string>()("Plan");
const Order = Type.Object({ id: Type.String(), qty: Type.Integer() });

const hello = Axon.start("hello").thenFn("greet", () => "hello");
const needs = Axon.start("needs").thenFn("n", (_, bus) => bus.get(Db).q(bus.get(Plan)), {
  reads: [Db, Plan],
});
const order = Axon.start<{ id: string; qty: number }>("order").thenFn("o", (o) => o.id);
const show = Axon.start("show").thenFn("s", (_, bus) => bus.get(param("id")), { reads: [param("id")] });
const open = Axon.start("x").thenFn("b", () => branch("vip", 1), { branches: ["vip"] });
const lost = Axon.start("x").thenFn("j", () => jump("nowhere", 1), { jumps: ["nowhere"] });

const api = routes({
  "GET /needs": needs,
  "GET /orders/:id": show,
  "POST /orders": [order, { input: json(Order), bodyLimit: 100 }],
  "PUT /typed": Axon.start("typed", Order),
  "PATCH /typed": [Axon.start("typed", Order), { bodyLimit: 100 }],
});
const provided = Framework.http({ resources: [Db] }).provide(Plan, () => "gold");

// What must compile
new TestApp(provided.mount(api).mount(api, "/v1").mount({ "GET /plain": hello }), { Db: { q: () => 1 } });
provided.mount({ "GET /": show }, "/of/:id");
routes({});

// What must not, where the table is written
// @ts-expect-error no such method
routes({ "BREW /x": hello });
// @ts-expect-error methods are upper case
routes({ "get /x": hello });
// @ts-expect-error the path begins with no slash
routes({ "GET x": hello });
// @ts-expect-error a path alone is no row
routes({ "/x": hello });
// @ts-expect-error a function is no Axon
routes({ "GET /x": () => "hello" });
// @ts-expect-error options are an object
routes({ "GET /x": [hello, 1] });
// @ts-expect-error the branch is open
routes({ "GET /x": open });
// @ts-expect-error the jump goes nowhere
routes({ "GET /x": [lost, {}] });
// @ts-expect-error rows cannot be replaced
api["GET /needs"] = needs;

// What must not, where it is mounted
// @ts-expect-error nobody provides the keys
Framework.http().mount(api);
// @ts-expect-error one of the keys is not provided
Framework.http({ resources: [Db] }).mount(api);
// @ts-expect-error neither does the prefix change that
Framework.http({ resources: [Db] }).mount(api, "/v1");
// @ts-expect-error the path has no such parameter
provided.mount(routes({ "GET /x": show }));
// @ts-expect-error nor has the prefix
provided.mount(routes({ "GET /x": show }), "/of/:other");
// @ts-expect-error the branch is open
provided.mount({ "GET /x": open });
// @ts-expect-error nothing makes the input
provided.mount(routes({ "POST /x": order }));
// @ts-expect-error nothing makes the input, for all its options
provided.mount(routes({ "POST /x": [order, { bodyLimit: 1 }] }));
// @ts-expect-error the extractor makes something else
provided.mount(routes({ "POST /x": [order, { input: text() }] }));
// @ts-expect-error the extractor makes too little
provided.mount(routes({ "POST /x": [order, { input: query(Type.Object({ id: Type.String() })) }] }));
// @ts-expect-error an option that is misspelt, beside one that is not
provided.mount(routes({ "POST /x": [order, { input: json(Order), bodyLimt: 1 }] }));
// @ts-expect-error the same in a table that is written in place
provided.mount({ "POST /x": [order, { input: json(Order), bodyLimt: 1 }] });
// @ts-expect-error no such method
provided.mount({ "BREW /x": hello });
// @ts-expect-error a prefix begins with a slash
provided.mount(api, "v1");
// @ts-expect-error this is no table
provided.mount("GET /x");
