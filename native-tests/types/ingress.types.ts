// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  authorize,
  type BusView,
  branch,
  busKey,
  bytes,
  combine,
  cookie,
  Framework,
  form,
  guard,
  header,
  json,
  jump,
  layer,
  multipart,
  param,
  pass,
  path,
  query,
  RequestId,
  stream,
  Type,
  text,
  transition,
} from "framework";
import { type DiskFile, type ExtractedOf, type MemoryFile, type Multipart, TestApp } from "framework/http";

const Db = busKey<{ q(s: string): number }>()("Db");
const Plan = busKey<string>()("Plan");
const Order = Type.Object({ id: Type.String(), qty: Type.Integer() });

const ingress = Framework.http({ resources: [Db] }).provide(Plan, (bus) => `gold ${bus.get(Db).q("x")}`);
const needs = Axon.start("needs").thenFn("n", (_, bus) => bus.get(Db).q(bus.get(Plan)), {
  reads: [Db, Plan],
});
const order = Axon.start<{ id: string; qty: number }>("order").thenFn("o", (o) => o.id);
const open = Axon.start("x").thenFn("b", () => branch("vip", 1), { branches: ["vip"] });
const lost = Axon.start("x").thenFn("j", () => jump("nowhere", 1), { jumps: ["nowhere"] });
const unfit = Axon.start("x")
  .label("here")
  .thenFn("j", () => jump("here", "x"), { jumps: ["here"] });
const misspelt = Axon.start("p").thenFn("p", (_, bus) => bus.get(param("idd")), { reads: [param("idd")] });
const facts = [header("x-tenant"), cookie("sid"), RequestId] as const;

// What must compile
ingress.get("/needs", needs);
ingress.post("/order", order, { input: json(Order) });
ingress.post("/typed", Axon.start("typed", Order));
ingress.post("/bytes", Axon.start<Uint8Array>("b"), { input: bytes() });
ingress.get(
  "/facts/:id",
  Axon.start("f").thenFn("f", (_, bus) => bus.get(param("id")), { reads: [param("id"), ...facts] }),
);
ingress.route("PUT /both/:id", Axon.start<{ at: { id: string }; order: { id: string } }>("both"), {
  input: combine({ at: path(Type.Object({ id: Type.String() })), order: json(Order) }),
});
ingress.post(
  "/heads",
  Axon.start<{ heads: { n: number }; jar: { sid: string }; order: { id: string } }>("heads"),
  {
    input: combine({
      heads: header(Type.Object({ n: Type.Number() })),
      jar: cookie(Type.Object({ sid: Type.String() })),
      order: form(Order),
    }),
  },
);
void ingress.run({ Db: { q: () => 1 } });
void ingress.run(() => ({ Db: { q: () => 1 } }));
void ingress.run(async () => ({ Db: { q: () => 1 } }));
ingress.onStart(({ Db: db }) => db.q("x")).onReady((_, address) => address.length);
ingress
  .onShutdown(async ({ Db: db }) => db.q("x"))
  .healthCheck("db", ({ Db: db }, signal) => signal.aborted || db.q("x"));
new TestApp(ingress, { Db: { q: () => 1 } });
new TestApp(Framework.http());

ingress.provide(busKey<number>()("Length"), (bus) => bus.get(Plan).length, { reads: [Plan] });

// What must not
// @ts-expect-error the function makes something else
void ingress.run(() => ({ Db: 1 }));
// @ts-expect-error no such resource
ingress.onStart(({ Cache }) => Cache);
// @ts-expect-error a resource is used as something else
ingress.healthCheck("db", ({ Db: db }) => db.ping());
// @ts-expect-error a provided value that is read without being named
ingress.provide(busKey<number>()("Length"), (bus) => bus.get(Plan).length);
// @ts-expect-error nobody provides the keys
Framework.http().get("/n", needs);
// @ts-expect-error one of the keys is not provided
Framework.http({ resources: [Db] }).get("/n", needs);
// @ts-expect-error the branch is open
ingress.get("/o", open);
// @ts-expect-error the jump goes nowhere
ingress.get("/j", lost);
// @ts-expect-error the label's step takes something else
ingress.get("/j", unfit);
// @ts-expect-error nothing makes the input
ingress.post("/i", order);
// @ts-expect-error the extractor makes something else
ingress.post("/i", order, { input: json(Type.Object({ id: Type.Number(), qty: Type.Integer() })) });
// @ts-expect-error the extractor makes too little
ingress.post("/i", order, { input: query(Type.Object({ id: Type.String() })) });
// @ts-expect-error text is no order
ingress.post("/i", order, { input: text() });
// @ts-expect-error an option that is misspelt, beside one that is not
ingress.post("/i", order, { input: json(Order), bodyLimt: 1 });
// @ts-expect-error the same of what serves the rest
ingress.fallback(Axon.start("rest"), { bodyLimt: 1, tags: [] });
// @ts-expect-error the same of a group
ingress.group("/g", { timeoutM: 1, tags: [] }, () => {});
const misspeltBefore = { input: json(Order), bodyLimt: 1 };
// @ts-expect-error an object that was written before says too much as well
ingress.post("/i", order, misspeltBefore);
// @ts-expect-error the path has no such parameter
ingress.get("/user/:id", misspelt);
// @ts-expect-error parameters have names
query(Type.Number());
// @ts-expect-error a resource is missing
void ingress.run({});
// @ts-expect-error a resource is missing, all of them
void ingress.run();
// @ts-expect-error a resource is something else
void ingress.run({ Db: 1 });
// @ts-expect-error a resource is missing in the test
new TestApp(ingress, {});
// @ts-expect-error what is provided is something else
ingress.provide(busKey<string>()("Other"), () => 1);
// @ts-expect-error what `make` reads is not provided
Framework.http().provide(Plan, (bus) => (bus.get(Db).q("x") > 0 ? "a" : "b"));

class Undeclared {
  readonly name = "u";
  run(_: void, bus: BusView<typeof Plan>) {
    return bus.get(Plan);
  }
}
// @ts-expect-error a class that declares no reads but uses one
Framework.http().get("/u", Axon.start("u").then(new Undeclared()));

const step = transition({ name: "s", run: (i: { n: number; m: string }) => i.m });
// @ts-expect-error a step that needs more than it gets
Axon.start<{ n: number }>("x").then(step);

// @ts-expect-error: a header's schema has names
header(Type.String());
// @ts-expect-error: the key of a header is no extractor
ingress.get("/key", Axon.start<string>("key"), { input: header("x-tenant") });

// Guards, layers and groups
const User = busKey<{ name: string }>()("User");
const identify = guard({
  name: "identify",
  reads: [Plan],
  writes: [User],
  run(input, bus) {
    bus.set(User, { name: bus.get(Plan) });
    return pass(input);
  },
});
const greet = Axon.start("greet").thenFn("greet", (_, bus) => bus.get(User).name, { reads: [User] });
const both = Axon.start("both").thenFn(
  "both",
  (_, bus) => `${bus.get(User).name} ${bus.get(param("tenant"))}`,
  {
    reads: [User, param("tenant")],
  },
);

ingress.guard(identify).get("/greet", greet).fallback(greet);
ingress.get("/greet", greet, { guards: [identify] });
ingress.layer(authorize((bus) => bus.get(Plan) === "gold", { reads: [Plan] })).layer((_, next) => next());
ingress.get("/l", greet, {
  layers: [layer({ name: "l", writes: [User], run: (_, next) => next() })],
});
ingress.group("/:tenant", { guards: [identify] }, (group) =>
  group.get("/", both).mount({ "GET /table": both }),
);
ingress.provide(busKey<string>()("Tx"), () => "tx", { dispose: (tx) => tx.length });

const forget = layer({ name: "forget", deletes: [User], run: (bus) => bus.delete(User) });
ingress.guard(identify).layer(forget).get("/greet", greet);
// @ts-expect-error it does not declare what it deletes
layer({ name: "forgetful", run: (bus) => bus.delete(User) });

// @ts-expect-error nobody gives the user
ingress.get("/greet", greet);
// @ts-expect-error nobody gives the guard its plan
Framework.http().guard(identify);
// @ts-expect-error nobody gives the route's guard its plan
Framework.http().get("/greet", greet, { guards: [identify] });
// @ts-expect-error nobody gives the layer its plan
Framework.http().layer(authorize((bus) => bus.get(Plan) === "gold", { reads: [Plan] }));
// @ts-expect-error nobody gives the group's guard its plan
Framework.http().group("/x", { guards: [identify] }, (group) => group);
// @ts-expect-error the group's prefix has no such parameter
ingress.group("/x", { guards: [identify] }, (group) => group.get("/", both));
// @ts-expect-error a step is no guard
ingress.guard(transition({ name: "s", run: pass }));
// @ts-expect-error a guard changes no input
guard({ name: "g", run: () => "other" });
// @ts-expect-error a decision is no text
authorize(() => "yes");
// @ts-expect-error now the one, now the other
ingress.provide(busKey<string>()("Cached"), () => (Math.random() > 0.5 ? "now" : Promise.resolve("later")));

// Multipart and streams, typed by their options
type Fields = Readonly<Record<string, string | readonly string[]>>;
ingress.post("/memory", Axon.start<Multipart<Fields, MemoryFile>>("memory"), { input: multipart() });
ingress.post("/disk", Axon.start<Multipart<{ id: string; qty: number }, DiskFile>>("disk"), {
  input: multipart({ schema: Order, files: "disk", maxFiles: 3 }),
});
ingress.post("/stream", Axon.start<AsyncIterable<Uint8Array>>("stream"), { input: stream() });
// @ts-expect-error: files are in memory where nothing else is said
ingress.post("/disk", Axon.start<Multipart<Fields, DiskFile>>("disk"), { input: multipart() });
// @ts-expect-error: fields are texts where there is no schema
ingress.post("/fields", Axon.start<Multipart<{ qty: number }, MemoryFile>>("f"), { input: multipart() });
// @ts-expect-error: a limit is a number
multipart({ maxFiles: "3" });
const named = multipart({
  files: {
    picture: { required: true, types: ["image/png"] },
    scans: { multiple: true, store: "disk" },
    note: {},
  },
});
type Named = { picture: MemoryFile; scans: readonly DiskFile[]; note: MemoryFile | undefined };
ingress.post("/named", Axon.start<Multipart<Fields, Named>>("named"), { input: named });
const namedFiles: ExtractedOf<typeof named>["files"] = {} as Named;
// @ts-expect-error: a file that is not required may be missing
ingress.post("/n", Axon.start<Multipart<Fields, { note: MemoryFile }>>("n"), { input: named });
// @ts-expect-error: it is in memory where nothing else is said
ingress.post("/p", Axon.start<Multipart<Fields, { picture: DiskFile }>>("p"), { input: named });
// @ts-expect-error: the form has no such file
namedFiles.photo;
// @ts-expect-error: a size is in bytes
multipart({ files: { picture: { maxSize: "1 MB" } } });
// @ts-expect-error: there is no such option
multipart({ files: { picture: { maxsize: 1 } } });

ingress
  .serveDir("/files", "public", { cacheControl: "no-store", guards: [], cache: { maxFiles: 10 } })
  .serveDir("/", "public", { immutable: /^assets/, cache: false })
  .spaFallback("public/index.html", { apiPrefixes: ["/api"] })
  .staticCacheControl("public, max-age=60");
// @ts-expect-error there is no option 'cachControl'
ingress.serveDir("/files", "public", { cachControl: "no-store" });
// @ts-expect-error a prefix begins with "/"
ingress.serveDir("files", "public");
// @ts-expect-error nobody provides what the guard reads
Framework.http().serveDir("/files", "public", { guards: [identify] });
Framework.http().docs("/docs", { guards: [], sendCookies: true });
// @ts-expect-error there is no option 'sendCookie'
Framework.http().docs("/docs", { sendCookie: true });
// @ts-expect-error nobody provides what the guard reads
Framework.http().docs("/docs", { guards: [identify] });
// @ts-expect-error there is no option 'input': a file has none
ingress.spaFallback("public/index.html", { input: text() });
