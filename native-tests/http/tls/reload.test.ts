// A certificate that is exchanged while the server serves.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, describe, test } from "node:test";
import type { TLSSocket } from "node:tls";

import { Axon, Framework, type Report, type RunningServer } from "framework";

import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { chainOf, type Issued, issue } from "../../support/issued-certificate.js";
import { pause, until } from "../../support/patience.js";
import { connected, got, shownName, shownNow } from "../../support/tls-client.js";

const { authority } = localCertificate();
const named = (subject: string): Issued =>
  issue({ subject, names: ["localhost", "127.0.0.1"], issuer: authority });

const servers: RunningServer[] = [];
// Of a test that failed too: the process would not end.
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** A server whose files are looked at often, what it reported, and a step that waits for its end. */
async function serving(files: { readonly cert: string; readonly key: string }, maxConnections = 10_000) {
  const reports: Report[] = [];
  const gate = { open: () => {} };
  const slow = Axon.start("slow").thenFn(
    "wait",
    () =>
      new Promise<string>((resolve) => {
        gate.open = () => resolve("waited");
      }),
  );
  const server = await Framework.http({
    processGuards: false,
    reporter: (report) => void reports.push(report),
    maxConnections,
  })
    .bind("127.0.0.1:0")
    .drainIdle(0)
    .tls(files.cert, files.key, { checkEveryMs: 20 })
    .get(
      "/",
      Axon.start("hello").thenFn("greet", () => "hello"),
    )
    .get("/slow", slow)
    .run();
  servers.push(server);
  // A busy machine has its own.
  const codes = (): string[] => reports.map(({ code }) => code).filter((code) => /^(?:TLS|CONN)/.test(code));
  return {
    server,
    reports,
    codes,
    gate,
    shows: (name: string) =>
      until(`${name} is shown`, async () => {
        // One that is made in the moment of a change may be reset.
        const shown = await shownNow(server).catch(() => "none");
        return shown === name;
      }),
    /** Whoever comes is refused; what was on its way may still be served. */
    refuses: () =>
      until("a newcomer is refused", () =>
        shownNow(server).then(
          () => false,
          () => true,
        ),
      ),
    reported: (code: string, times = 1) =>
      until(`${code} is reported`, () => codes().filter((each) => each === code).length === times),
  };
}

describe("a server whose certificate changes", () => {
  test("shows the new one to new connections, and goes on with those that it has", async () => {
    const folder = certificateFolder();
    const { server, shows, codes, reported } = await serving(folder.pair(named("one")));
    const early = await connected(server, { ca: authority.cert });

    folder.pair(named("two"));
    await reported("TLS_RELOADED");
    // A listener that stayed would take every second one.
    for (let i = 0; i < 16; i += 1) assert.equal(await shownNow(server), "two");
    assert.equal(shownName(early), "one");
    assert.equal((await got(early)).body, "hello");
    folder.pair(named("three"));
    await shows("three");
    assert.equal((await got(early)).body, "hello");
    assert.deepEqual(codes(), ["TLS_RELOADED", "TLS_RELOADED"]);
    early.destroy();
    await server.close();
  });

  test("takes one that is written over the old one, and one behind symlinks, as certbot does", async () => {
    const folder = certificateFolder();
    for (const name of ["one", "two"]) {
      mkdirSync(folder.path(name));
      const { cert, key } = named(name);
      writeFileSync(folder.path(`${name}/cert.pem`), cert);
      writeFileSync(folder.path(`${name}/key.pem`), key);
    }
    folder.link("live", "one");
    const { server, shows } = await serving({
      cert: folder.path("live/cert.pem"),
      key: folder.path("live/key.pem"),
    });

    folder.link("live", "two");
    await shows("two");
    const three = named("three");
    writeFileSync(folder.path("two/key.pem"), three.key);
    writeFileSync(folder.path("two/cert.pem"), three.cert);
    await shows("three");
    await server.close();
  });

  test("keeps the pair where the key is late, and takes both when it is there", async () => {
    const folder = certificateFolder();
    const { server, shows, codes, reports, reported } = await serving(folder.pair(named("one")));
    const two = named("two");

    folder.put("server.crt", two.cert);
    await reported("TLS_RELOAD_FAILED");
    assert.equal(await shownNow(server), "one");
    assert.match(
      reports[0]?.message ?? "",
      /the one before is served: .*server\.key: .*not the key of .*\(two\)/,
    );
    folder.put("server.key", two.key);
    await shows("two");
    assert.deepEqual(codes(), ["TLS_RELOAD_FAILED", "TLS_RELOADED"]);
    await server.close();
  });

  test("keeps the old one in the place of one that cannot be served, and says so once", async () => {
    const folder = certificateFolder();
    const { server, shows, codes, reported } = await serving(folder.pair(named("one")));

    folder.put("server.crt", "no certificate");
    await reported("TLS_RELOAD_FAILED");
    // Several looks later it has nothing new to say.
    await pause(200);
    assert.deepEqual(codes(), ["TLS_RELOAD_FAILED"]);
    assert.equal(await shownNow(server), "one");
    folder.put("server.crt", "nor this");
    await reported("TLS_RELOAD_FAILED", 2);
    folder.pair(named("two"));
    await shows("two");
    await server.close();
  });

  test("leaves alone what is touched and stays the same", async () => {
    const folder = certificateFolder();
    const one = named("one");
    const { server, shows, codes } = await serving(folder.pair(one));
    const early = await connected(server, { ca: authority.cert });

    folder.pair(one);
    await pause(200);
    folder.pair(named("two"));
    await shows("two");
    assert.deepEqual(codes(), ["TLS_RELOADED"]);
    early.destroy();
    await server.close();
  });

  test("waits at its end for what was begun before the change and after it", async () => {
    const folder = certificateFolder();
    const { server, shows, gate, codes, refuses } = await serving(folder.pair(named("one")));
    const early = await connected(server, { ca: authority.cert });
    const answer = got(early, "/slow");
    // It has begun when the gate is there.
    await until("the run waits", () => gate.open.toString() !== "() => {}");
    folder.pair(named("two"));
    await shows("two");

    const closed = server.close();
    await refuses();
    gate.open();
    assert.equal((await answer).body, "waited");
    await closed;
    assert.ok(await server.closed);
    assert.deepEqual(codes(), ["TLS_RELOADED"]);
  });

  test("counts connections of before the change and after it together", async () => {
    const folder = certificateFolder();
    const { server, codes, shows, refuses } = await serving(folder.pair(named("one")), 3);
    const ca = authority.cert;
    const early = [await connected(server, { ca }), await connected(server, { ca })];
    folder.pair(named("two"));
    await shows("two");
    let late: TLSSocket | undefined;
    // Who was shown it may not have left yet.
    await until("there is room for one more", async () => {
      late = await connected(server, { ca }).catch(() => undefined);
      return late !== undefined;
    });

    await refuses();
    assert.ok(codes().includes("CONNECTIONS_FULL"));
    for (const socket of early) socket.destroy();
    await shows("two");
    late?.destroy();
    await server.close();
  });

  test("loses no more than what is in the queue of the listener that closes", async () => {
    const folder = certificateFolder();
    const { server, shows } = await serving(folder.pair(named("0")));
    let [served, cut, stopped] = [0, 0, false];
    const clients = Array.from({ length: 4 }, async () => {
      while (!stopped) {
        const socket = await connected(server, { ca: authority.cert }).catch(() => undefined);
        if (socket === undefined) cut += 1;
        else {
          // Whom the server has taken, it serves.
          assert.equal((await got(socket)).body, "hello");
          socket.destroy();
          served += 1;
        }
      }
    });

    for (let i = 1; i <= 10; i += 1) {
      folder.pair(named(String(i)));
      await shows(String(i));
    }
    stopped = true;
    await Promise.all(clients);
    await server.close();
    assert.ok(served > 10, `served ${served}`);
    // Each of the four can have one connection in the queue at each of ten changes.
    assert.ok(cut <= 4 * 10, `${cut} of ${served + cut} were cut`);
  });

  test("stops in the middle of a change", async () => {
    for (let i = 0; i < 10; i += 1) {
      const folder = certificateFolder();
      const { server } = await serving(folder.pair(named("one")));
      folder.pair(named("two"));

      await pause(5 * i);
      await server.close();
      await assert.rejects(shownNow(server));
    }
  });
});

describe("a server with TLS", () => {
  const hello = Axon.start("hello").thenFn("greet", () => "hello");
  const ingress = (cert: string, key: string) =>
    Framework.http({ processGuards: false, reporter: () => {} })
      .bind("127.0.0.1:0")
      .tls(cert, key)
      .get("/", hello);

  test("tells what is wrong of its certificate before any hook runs", async () => {
    const folder = certificateFolder();
    const own = named("one");
    const { cert } = folder.pair(own);
    const ran: string[] = [];

    await assert.rejects(
      ingress(cert, folder.path("none.key"))
        .onStart(() => void ran.push("onStart"))
        .run(),
      { code: "TLS_INVALID", message: /none\.key/ },
    );
    assert.deepEqual(ran, []);
  });

  test("has its port alone, though it could share it", async () => {
    const { cert, key } = certificateFolder().pair(named("one"));
    const server = await ingress(cert, key).run();

    const again = () => ingress(cert, key).bind(server.address).run();
    await assert.rejects(again, { code: "LISTEN_FAILED", message: /EADDRINUSE/ });
    await server.close();
    await (await again()).close();
  });

  test("warns of what clients may refuse, and of what ends soon", async () => {
    const folder = certificateFolder();
    const day = 86_400_000;
    const [from, until] = [Date.now() - 87 * day, Date.now() + 3 * day];
    const soon = issue({ subject: "soon", issuer: authority, from, until });
    const { server, codes } = await serving(folder.pair(soon));

    await server.close();
    assert.deepEqual(codes(), ["TLS_DOUBTFUL", "TLS_EXPIRING"]);
  });

  test("refuses a socket of the file system, and PROXY headers", async () => {
    const { cert, key } = certificateFolder().pair(named("one"));
    const message = /TLS is for host:port/;

    await assert.rejects(ingress(cert, key).bind("unix:/tmp/none.sock").run(), {
      code: "CONFIG_INVALID",
      message,
    });
    const proxied = Framework.http({ proxyProtocol: "v2", trustedProxies: ["::1"], processGuards: false })
      .bind("127.0.0.1:0")
      .tls(cert, key)
      .get("/", hello);
    await assert.rejects(proxied.run(), {
      code: "CONFIG_INVALID",
      message: /PROXY headers of plain connections/,
    });
  });

  test("serves the chain that is in the file", async () => {
    const folder = certificateFolder();
    const middle = issue({ subject: "Middle", issuer: authority, isAuthority: true });
    const leaf = issue({ subject: "leaf", names: ["localhost"], issuer: middle });
    const cert = folder.put("chain.crt", chainOf(leaf, middle));
    const server = await ingress(cert, folder.put("leaf.key", leaf.key)).run();

    const socket = await connected(server, { ca: authority.cert });
    assert.ok(socket.authorized);
    assert.equal((await got(socket)).body, "hello");
    socket.destroy();
    await server.close();
  });
});
