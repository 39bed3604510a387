import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Axon, Bus, ClientIp, isFault } from "framework";
import { AxonTestKit } from "framework/runtime";
import { IpFilterGuard } from "framework/std";

/** Whether a client of the address is let in. */
async function admits(guard: IpFilterGuard, address: string | undefined): Promise<boolean> {
  const axon = Axon.start<string>("filtered").then(guard);
  const kit = new AxonTestKit();
  if (address !== undefined) kit.set(ClientIp, address);
  const { outcome } = await kit.run(axon, "input");
  assert.ok(outcome === "input" || isFault(outcome));
  return outcome === "input";
}

const mixed = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"];

describe("IpFilterGuard", () => {
  test("lets in whom an allow list holds, and nobody else", async () => {
    const guard = IpFilterGuard.allowList(mixed);
    const inside = ["10.0.0.0", "10.255.255.255", "192.0.2.7", "::ffff:10.1.2.3", "2001:db8::1"];
    const outside = ["9.255.255.255", "11.0.0.0", "192.0.2.8", "2001:db9::", "::1"];

    for (const address of inside) assert.equal(await admits(guard, address), true, address);
    for (const address of outside) assert.equal(await admits(guard, address), false, address);
  });

  test("keeps out whom a deny list holds, and nobody else", async () => {
    const guard = IpFilterGuard.denyList(mixed);

    assert.equal(await admits(guard, "10.1.2.3"), false);
    assert.equal(await admits(guard, "::ffff:10.1.2.3"), false);
    assert.equal(await admits(guard, "203.0.113.1"), true);
  });

  test("refuses a client whose address is unknown or is none, whatever the list", async () => {
    for (const guard of [IpFilterGuard.allowList(["0.0.0.0/0", "::/0"]), IpFilterGuard.denyList([])])
      for (const address of [undefined, "", "localhost", "10.0.0.1 ", "10.0.0.256", "unix:"])
        assert.equal(await admits(guard, address), false, address);
  });

  test("decides as bit by bit comparison does, for any list and address", () => {
    const bits = (address: number): string => address.toString(2).padStart(32, "0");
    const text = (address: number): string =>
      [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join(".");
    // Near each other, so that ranges overlap and addresses fall on their edges.
    const address = fc
      .tuple(fc.constantFrom(0, 0x0a000000, 0x7fffffff, 0x80000000, 0xffffff00), fc.nat({ max: 255 }))
      .map(([base, offset]) => (base + offset) >>> 0);
    const range = fc.record({ address, length: fc.nat({ max: 32 }) });
    fc.assert(
      fc.property(
        fc.array(range, { maxLength: 8 }),
        fc.array(address, { maxLength: 16 }),
        (ranges, asked) => {
          const list = ranges.map((each) => `${text(each.address)}/${each.length}`);
          const allowed = Axon.start<string>("allowed").then(IpFilterGuard.allowList(list));
          const denied = Axon.start<string>("denied").then(IpFilterGuard.denyList(list));

          for (const one of asked) {
            const isListed = ranges.some((each) =>
              bits(one).startsWith(bits(each.address).slice(0, each.length)),
            );
            for (const shown of [text(one), `::ffff:${text(one)}`]) {
              const bus = Bus.of([[ClientIp, shown]]);
              assert.equal(allowed.execute("in", bus) === "in", isListed, shown);
              assert.equal(denied.execute("in", bus) === "in", !isListed, shown);
            }
          }
        },
      ),
    );
  });

  test("refuses what is no list of texts", () => {
    for (const list of ["10.0.0.0/8", undefined, [10], new Set(["::1"])])
      for (const make of [IpFilterGuard.allowList, IpFilterGuard.denyList])
        assert.throws(() => make(list as never), {
          code: "CONFIG_INVALID",
          message: /^IpFilterGuard: .* no list of texts/,
        });
  });

  test("is drawn with the kind of its list", () => {
    const drawn = [IpFilterGuard.allowList(["::1"]), IpFilterGuard.denyList([])].map(
      (guard) => Axon.start<string>("filtered").then(guard).schematic().nodes[1],
    );

    assert.deepEqual(
      drawn.map((node) => [node?.kind, node?.description]),
      [
        ["Guard", "Allow list"],
        ["Guard", "Deny list"],
      ],
    );
  });

  test("is made by a call that says which list it is", () => {
    const make = IpFilterGuard as unknown as new (ranges: readonly string[]) => unknown;

    assert.throws(() => new make(["10.0.0.0/8"]), {
      code: "CONFIG_INVALID",
      message: /IpFilterGuard\.allowList/,
    });
  });

  test("takes another list while it runs, and keeps the old one where the new is malformed", async () => {
    const guard = IpFilterGuard.denyList(["10.0.0.0/8"]);
    guard.replace(["192.0.2.0/24"]);

    assert.deepEqual([await admits(guard, "10.1.2.3"), await admits(guard, "192.0.2.1")], [true, false]);
    assert.throws(() => guard.replace(["192.0.2.0/24", "all"]), {
      code: "CONFIG_INVALID",
      message: /IpFilterGuard.*'all'/,
    });
    assert.equal(await admits(guard, "192.0.2.1"), false);
  });
});
