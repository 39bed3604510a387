import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  type BusKey,
  busKey,
  bytes,
  cookie,
  Framework,
  IamPolicy,
  multipart,
  stream,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import { AuthGuard, IdempotencyGuard } from "framework/std";

describe("a route that cannot have idempotency keys", () => {
  const guards = [new IdempotencyGuard()];
  const mounting = (declare: (ingress: ReturnType<typeof Framework.http>) => unknown) => () => {
    const ingress = Framework.http();
    declare(ingress);
    new TestApp(ingress);
  };

  test("is one that takes its body as it arrives", () => {
    const axon = Axon.start<unknown>("upload").thenFn("take", () => "taken");
    for (const input of [stream(), multipart()]) {
      const expected = { code: "ROUTE_INVALID", message: /POST \/up .*without: \["IdempotencyGuard"\]/ };
      assert.throws(
        mounting((ingress) => ingress.post("/up", axon, { input: input as never, guards })),
        expected,
      );
      assert.throws(
        mounting((ingress) =>
          ingress.guard(new IdempotencyGuard()).post("/up", axon, { input: input as never }),
        ),
        expected,
      );
      mounting((ingress) =>
        ingress
          .guard(new IdempotencyGuard())
          .post("/up", axon, { input: input as never, without: ["IdempotencyGuard"] })
          .put("/up", axon, { input: input as never }),
      )();
    }
  });

  test("is one whose guard stands behind its input", () => {
    const inner = Axon.start<string>("inner").then(new IdempotencyGuard());
    const behind = Axon.start<string>("b")
      .thenFn("first", (text) => text)
      .then(new IdempotencyGuard());
    const nested = Axon.start<string>("n").subgraph(inner);
    for (const axon of [behind, nested])
      assert.throws(
        mounting((ingress) => ingress.post("/pay", axon as never, { input: bytes() as never })),
        { code: "ROUTE_INVALID", message: /'IdempotencyGuard' of POST \/pay .*guards: \[\.\.\.\]/ },
      );
    const leading = Axon.start<Uint8Array>("l")
      .then(new IdempotencyGuard())
      .thenFn("pay", () => "paid");
    mounting((ingress) => ingress.post("/pay", leading, { input: bytes() }))();
  });

  test("is one that verifies its callers behind its input alone", () => {
    const verifying = new AuthGuard(IamPolicy.requireIdentity(), {
      verify: (subject) => ({ subject, roles: [], claims: {} }),
    });
    const take = Axon.start<Uint8Array>("pay").thenFn("take", () => "taken");
    const behind = take.then(verifying);
    const nested = take.subgraph(Axon.start<string>("n").withIam(IamPolicy.none(), verifying.verifier));
    const mount = (axon: unknown, ...keyed: readonly (AuthGuard | IdempotencyGuard)[]) =>
      mounting((ingress) =>
        ingress.post("/pay", axon as never, { input: bytes() as never, guards: keyed as never }),
      );

    for (const [axon, name] of [
      [behind, "AuthGuard"],
      [nested, "iam"],
    ] as const) {
      assert.throws(mount(axon, ...guards), {
        code: "ROUTE_INVALID",
        message: new RegExp(`'${name}' of POST /pay .*verifies its caller behind the input.*scope`),
      });
      mount(axon, ...guards, verifying)();
      mount(axon, new IdempotencyGuard({ scope: () => "the one caller" }))();
    }
  });

  test("is one that reads cookies, of callers that nothing tells apart", () => {
    const reading = (key: BusKey<string, string>) =>
      Axon.start<unknown>("pay").thenFn("read", (_, bus) => bus.find(key) ?? "", { mayRead: [key] });
    const expected = { code: "ROUTE_INVALID", message: /POST \/pay .*reads cookies.*cookie: "sid"/ };
    const plain = Axon.start<unknown>("pay").thenFn("take", () => "taken");
    const User = busKey<string>()("User");
    type Mount = (ingress: ReturnType<typeof Framework.http>, keyed: IdempotencyGuard) => unknown;
    const reads: readonly Mount[] = [
      (ingress, keyed) => ingress.post("/pay", reading(cookie("sid")) as never, { guards: [keyed] as never }),
      (ingress, keyed) =>
        ingress.post("/pay", plain, {
          input: cookie(Type.Object({ sid: Type.String() })) as never,
          guards: [keyed],
        }),
      (ingress, keyed) =>
        ingress
          .provide(User, (bus) => bus.get(cookie("sid")), { reads: [cookie("sid")] })
          .post("/pay", reading(User) as never, { guards: [keyed] as never }),
    ];
    for (const mount of reads) {
      assert.throws(
        mounting((ingress) => mount(ingress, new IdempotencyGuard())),
        expected,
      );
      mounting((ingress) => mount(ingress, new IdempotencyGuard({ cookie: "sid" })))();
    }
    const verifiedBy = (policy: IamPolicy) =>
      mounting((ingress) =>
        ingress.post("/pay", reading(cookie("basket")) as never, {
          guards: [
            new AuthGuard(policy, { verify: (subject) => ({ subject, roles: [], claims: {} }) }),
            ...guards,
          ] as never,
        }),
      );
    assert.throws(verifiedBy(IamPolicy.none()), expected);
    verifiedBy(IamPolicy.requireIdentity())();
  });

  test("is one that may take longer than a key is held", () => {
    const axon = Axon.start<Uint8Array>("pay");
    const held = { guards: [new IdempotencyGuard({ leaseMs: 5000 })], input: bytes() };

    assert.throws(
      mounting((ingress) => ingress.post("/pay", axon, { ...held, timeoutMs: 5001 })),
      { code: "CONFIG_INVALID", message: /POST \/pay .*5001 ms.*5000/ },
    );
    mounting((ingress) => ingress.post("/pay", axon, { ...held, timeoutMs: 5000 }))();
  });
});
