import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { Axon, EventChannel, Framework, openStores, type Stores, Type } from "framework";
import { workerRooms } from "framework/http";
import { MemoryRateLimits, RateLimitGuard } from "framework/std";
import type { Report } from "#core/bus/reporter.js";
import { until } from "../../support/patience.js";

const LEASE_MS = 100;
const folder = mkdtempSync(join(tmpdir(), "hosts-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const plain = Axon.start<void>("plain").thenFn("answer", () => "hello");

/** Counts how often its hosts were listed, and beat. */
function counted(stores: Stores) {
  const looks = { count: 0, beats: 0 };
  const { hosts, beat } = stores.runs;
  Object.assign(stores.runs, {
    beat: (...of: Parameters<typeof beat>) => {
      looks.beats += 1;
      return beat(...of);
    },
    hosts: async () => {
      const listed = await hosts?.();
      looks.count += 1;
      return listed;
    },
  });
  return looks;
}

/** A server with a guard that keeps its rates in memory, and what its hosts are told. */
async function serving(
  name: string,
  guards = [new RateLimitGuard(5, 1000, { store: new MemoryRateLimits() })],
  { hasRoom = false, channels = [] }: { hasRoom?: boolean; channels?: readonly EventChannel[] } = {},
) {
  const stores = openStores(`sqlite:${join(folder, `${name}.db`)}`);
  const looks = counted(stores);
  const warnings: Report[] = [];
  const ingress = Framework.http({
    ...{ processGuards: false, rooms: workerRooms() },
    reporter: (report) => void (report.code === "STATE_PER_HOST" && warnings.push(report)),
  })
    .stores(stores, { leaseMs: LEASE_MS })
    .channels(...channels)
    .get("/", plain, { guards });
  const server = await (hasRoom
    ? ingress.ws("/room", { message: () => undefined, schema: Type.Null() })
    : ingress
  )
    .bind("127.0.0.1:0")
    .run();
  return { server, stores, looks, warnings };
}

const elsewhere = { pid: 1, machine: "elsewhere", axons: {} };

describe("the hosts of one store", () => {
  test("are warned once of what each keeps apart", async () => {
    const { server, stores, looks, warnings } = await serving("warned");
    await stores.runs.beat("other", 60_000, elsewhere);
    await until("the hosts were looked at", () => looks.count >= 2);
    await until("it is warned", () => warnings.length > 0);
    const { count } = looks;
    const [own] = (await stores.runs.hosts?.())?.filter(({ id }) => id !== "other") ?? [];
    await server.close();

    assert.match(warnings[0]?.message ?? "", /^2 hosts .*'RateLimitGuard' keeps how often each client came/);
    assert.equal(warnings.length, 1);
    assert.equal(looks.count, count + 1, "it looks no more");
    assert.equal(own?.facts?.machine, hostname());
    assert.ok((own?.facts?.began_at ?? 0) <= Date.now());
  });

  test("are warned of rooms that join the workers of a machine only", async () => {
    const { server, stores, warnings } = await serving("rooms", [], { hasRoom: true });
    await stores.runs.beat("other", 60_000, elsewhere);
    await until("it is warned", () => warnings.length > 0);
    await server.close();

    assert.match(warnings[0]?.message ?? "", /'\/room' keeps the rooms of the workers of its machine/);
  });

  test("are warned of event channels that no store joins", async () => {
    const { server, stores, warnings } = await serving("channels", [], {
      channels: [new EventChannel({ name: "levels" })],
    });
    await stores.runs.beat("other", 60_000, elsewhere);
    await until("it is warned", () => warnings.length > 0);
    await server.close();

    assert.match(warnings[0]?.message ?? "", /its event channels keep their events and clients\. Give/);
  });

  test("are warned of another container of this machine that has the same pid", async () => {
    const { server, stores, warnings } = await serving("container");
    await stores.runs.beat("other", 60_000, {
      ...elsewhere,
      machine: hostname(),
      pid: process.pid,
      began_at: 1,
    });
    await until("it is warned", () => warnings.length > 0);
    await server.close();

    assert.match(warnings[0]?.message ?? "", /^2 hosts /);
  });

  // HS1: the first look sees a host that is gone at the second.
  test("are not warned of one that ended", async () => {
    const { server, stores, looks, warnings } = await serving("ended");
    await stores.runs.beat("other", 60_000, elsewhere);
    const { count: before } = looks;
    await until("it was seen", () => looks.count > before);
    await stores.runs.leave("other");
    const { count } = looks;
    await until("it is gone", () => looks.count >= count + 2);
    await server.close();

    assert.deepEqual(warnings, []);
  });

  test("are not warned of servers of one process", async () => {
    const [one, two] = [await serving("process"), await serving("process")];
    await until("both looked", () => one.looks.count >= 3 && two.looks.count >= 3);
    await Promise.all([one.server.close(), two.server.close()]);

    assert.deepEqual([...one.warnings, ...two.warnings], []);
  });

  test("are not looked at where nothing is kept apart", async () => {
    const { server, looks } = await serving("nothing", []);
    await until("it beat", () => looks.beats >= 3);
    await server.close();

    assert.equal(looks.count, 0);
  });
});
