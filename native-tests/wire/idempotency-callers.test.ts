// To whom the kept answer of an idempotency key is sent again.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  Axon,
  bytes,
  Framework,
  header,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  type RunningServer,
} from "framework";
import { IdempotencyGuard } from "framework/std";
import { inTurn, post } from "../support/wire.js";

/** Tokens of one subject differ behind the dot. */
const tokens: IamVerifier = {
  verify: (token) => ({ subject: token.split(".")[0] as string, roles: [], claims: {} }),
};

const Team = header("x-team");
let runs = 0;
const counting = Axon.start<Uint8Array>("count").thenFn("count", () => `run ${++runs}`);
const named = Axon.start<Uint8Array>("name").thenFn(
  "name",
  (_, bus) => `run ${++runs} of ${bus.get(IamIdentity).subject}`,
  { reads: [IamIdentity] },
);

describe("the answer of an idempotency key", () => {
  let server: RunningServer;
  before(async () => {
    const input = bytes();
    server = await Framework.http({ processGuards: false, trustedProxies: ["127.0.0.1"] })
      .bind("127.0.0.1:0")
      .post("/open", counting, { input, guards: [new IdempotencyGuard({ cookie: "sid" })] })
      .post("/plain", counting, { input, guards: [new IdempotencyGuard()] })
      .post("/team", counting.withIam(IamPolicy.none(), tokens), {
        input,
        guards: [new IdempotencyGuard({ scope: (bus) => bus.get(Team), reads: [Team] })],
      })
      .post("/verified", named.withIam(IamPolicy.requireIdentity(), tokens), {
        input,
        guards: [new IdempotencyGuard({ cookie: "sid" })],
      })
      .run();
  });
  after(() => server.close());

  /** For each request the first of them that got the same answer: its index. */
  async function sharing(target: string, ...requests: readonly (readonly string[])[]) {
    const key = newKey();
    const sent = requests.map((lines) => post(target, "x", "Content-Length: 1", key, ...lines));
    const replies = await inTurn(server.address, sent);
    assert.deepEqual(
      replies.map(({ status }) => status),
      requests.map(() => 200),
    );
    const bodies = replies.map(({ body }) => body);
    const firsts = bodies.map((body) => bodies.indexOf(body));
    assert.deepEqual(
      replies.map(({ headers }) => headers["idempotent-replayed"] === "true"),
      firsts.map((first, i) => first !== i),
    );
    return firsts;
  }
  const from = (address: string) => `X-Forwarded-For: ${address}`;
  let keys = 0;
  const newKey = () => `Idempotency-Key: "8e03978e-${++keys}"`;
  const ANN = "Cookie: theme=dark; sid=ann";
  const BOB = "Cookie: theme=dark; sid=bob";

  test("is sent to one session alone where one address has several", async () => {
    const again = "Cookie: theme=light; sid=ann";

    assert.deepEqual(await sharing("/open", [ANN], [BOB], [], [again], [BOB], []), [0, 1, 2, 0, 1, 2]);
  });

  test("is sent to one Authorization alone, whatever the cookie, and a refreshed token is another caller", async () => {
    const bearer = (token: string) => `Authorization: Bearer ${token}`;
    const sent = [
      [bearer("ann.1"), ANN],
      [bearer("ann.2"), ANN],
      [bearer("ann.1"), BOB],
      [ANN, from("192.0.2.7")],
    ];

    assert.deepEqual(await sharing("/open", ...sent, ...sent), [0, 1, 0, 3, 0, 1, 0, 3]);
  });

  test("is sent to one host alone of an IPv6 network", async () => {
    const [one, other] = [from("2001:db8::1"), from("2001:db8::2")];

    assert.deepEqual(await sharing("/plain", [one], [other], [one], [other]), [0, 1, 0, 1]);
  });

  test("is sent to a verified subject alone, wherever it is and with a refreshed token", async () => {
    const sent = [["ann.1"], ["bob.1"], ["ann.2", from("192.0.2.7"), BOB], ["bob.1", ANN]].map(
      ([token, ...lines]) => [`Authorization: Bearer ${token}`, ...lines],
    );

    assert.deepEqual(await sharing("/verified", ...sent), [0, 1, 0, 1]);
  });

  test("is sent to one scope alone where the guard has its own", async () => {
    const sent = [
      ["X-Team: red", "Authorization: Bearer ann.1"],
      ["X-Team: blue", "Authorization: Bearer ann.1"],
      ["X-Team: red", BOB, from("192.0.2.7")],
    ];

    assert.deepEqual(await sharing("/team", ...sent), [0, 1, 0]);
  });

  test("is not kept for an unknown caller, which is refused", async () => {
    const before = runs;
    const key = newKey();
    const asked = (...lines: string[]) =>
      post("/open", "x", "Content-Length: 1", key, from("unknown"), ...lines);
    const [unknown, known] = await inTurn(server.address, [asked(), asked("Cookie: sid=eve")]);

    assert.equal(unknown?.status, 400);
    assert.match(unknown?.body ?? "", /IDEMPOTENCY_CALLER_UNKNOWN/);
    assert.deepEqual([known?.status, runs - before], [200, 1]);
  });
});
