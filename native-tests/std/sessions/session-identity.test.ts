// Whose a session is, and whose it stays.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, header, isFault, Session } from "framework";
import { IamError, IamIdentity, SessionIssued } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { CreateSession, DestroySession, RotateSession, Sessions } from "framework/std";

const ann: IamIdentity = { subject: "ann", roles: [], claims: {} };

describe("the steps of sessions", () => {
  test("keep of a user's row what an identity has, and leave the row as it is", async () => {
    const row = { ...ann, roles: ["clerk"], claims: { of: { team: 1 } }, password: "hash", orders: [{}] };
    const axon = Axon.start("login").then(new CreateSession(new Sessions(), { identityOf: () => row }));
    const { bus } = await new AxonTestKit().run(axon, undefined);

    assert.deepEqual(bus.find(IamIdentity), {
      subject: "ann",
      roles: ["clerk"],
      claims: { of: { team: 1 } },
    });
    assert.deepEqual(bus.find(Session)?.identity, bus.find(IamIdentity));
    for (const part of [row, row.roles, row.claims.of, row.orders]) assert.ok(!Object.isFrozen(part));
  });

  test("end a session of their own Sessions, where one of others is on the Bus", async () => {
    const [shop, admin] = [new Sessions(), new Sessions({ cookie: { name: "__Host-admin" } })];
    const login = (sessions: Sessions) =>
      Axon.start("login").then(new CreateSession(sessions, { identityOf: () => ann }));
    const idIn = (line: string) => /=([\w-]{43});/.exec(line)?.[1] as string;
    for (const everywhere of [false, true]) {
      const { bus } = await new AxonTestKit().run(login(shop), undefined);
      const id = idIn(`${bus.find(SessionIssued)?.reveal()}`);
      const logout = login(admin).then(new DestroySession(shop, { everywhere }));
      const { outcome } = await new AxonTestKit()
        .set(header("cookie"), `__Host-sid=${id}`)
        .run(logout, undefined);

      assert.ok(!isFault(outcome));
      assert.ok((await shop.verifier().verify(id)) instanceof IamError);
    }
  });

  test("throw where they are to change a session of other Sessions", async () => {
    const [shop, admin] = [new Sessions(), new Sessions()];
    const login = Axon.start("login").then(new CreateSession(shop, { identityOf: () => ann }));
    const { bus } = await new AxonTestKit().run(login, undefined);
    const { outcome } = await new AxonTestKit().run(login.then(new RotateSession(admin)), undefined);

    const message = /changed by the Sessions that made it/;
    await assert.rejects(
      admin.update(bus.find(Session) as Session, () => ({})),
      { message },
    );
    assert.ok(isFault(outcome) && (outcome.error as { code?: unknown }).code === "TRANSITION_PANIC");
  });

  test("end a session with the identity that a rotation has given it", async () => {
    const clock = { now: 1_700_000_000_000 };
    const sessions = new Sessions({
      now: () => clock.now,
      cookie: { persistent: true },
    });
    const rotated = (expiresAt: number) =>
      new AxonTestKit().run(
        Axon.start("step up")
          .then(new CreateSession(sessions, { identityOf: () => ann }))
          .then(new RotateSession(sessions, { identityOf: () => ({ ...ann, roles: ["admin"], expiresAt }) })),
        undefined,
      );
    const end = clock.now + 5000;
    const { bus } = await rotated(end);
    const [, id = "", maxAge] =
      /=([\w-]{43}); Max-Age=(\d+);/.exec(`${bus.find(SessionIssued)?.reveal()}`) ?? [];
    const verified = async () => {
      const answer = await sessions.verifier().verify(id);
      return answer instanceof IamError ? answer.kind : answer.roles;
    };
    const { outcome } = await rotated(clock.now);

    assert.ok(isFault(outcome) && outcome.error instanceof IamError && outcome.error.kind === "Expired");
    assert.deepEqual([bus.find(Session)?.expiresAt, maxAge], [end, "5"]);
    clock.now = end - 1;
    assert.deepEqual(await verified(), ["admin"]);
    clock.now = end;
    assert.equal(await verified(), "Expired");
  });
});
