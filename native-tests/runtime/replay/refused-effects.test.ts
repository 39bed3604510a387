import assert from "node:assert/strict";
import * as processes from "node:child_process";
import { execFile } from "node:child_process";
import dgram from "node:dgram";
import * as dns from "node:dns";
import { once } from "node:events";
import * as fs from "node:fs";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import http2 from "node:http2";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

import {
  allowEffects,
  type GuardedStep,
  ReplayEffect,
  readyToRefuse,
  refusingEffects,
} from "#runtime/replay/refused-effects.js";
import { textArguments, textFolder } from "../../support/run-program.js";

const AT = Date.UTC(2026, 0, 2);
const STEP: GuardedStep = { node: "Orders/Mail", at: AT };

let folder = "";
let file = "";
let connections = 0;
let received = "";
const server = net.createServer((socket) => {
  connections += 1;
  socket.on("data", (data) => {
    received += data;
    socket.write("heard");
  });
  socket.on("error", () => {});
});
let port = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "refused-"));
  file = join(folder, "kept.txt");
  await writeFile(file, "as it was");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});

after(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

afterEach(() => {
  allowEffects();
  connections = 0;
  received = "";
});

/** The calls that were refused while it ran as the work of a step. */
async function refusedIn(run: () => unknown): Promise<readonly string[]> {
  const calls: string[] = [];
  const step = { ...STEP, onRefused: (error: ReplayEffect) => calls.push(error.call) };
  try {
    await refusingEffects(step, run);
  } catch (error) {
    assert.ok(error instanceof ReplayEffect, String(error));
    assert.equal(error.code, "REPLAY_EFFECT");
    assert.equal(error.step, STEP.node);
  }
  return calls;
}

const failing = (work: { once(event: "error", then: (error: Error) => void): unknown }): Promise<never> =>
  new Promise((_, reject) => work.once("error", reject));

const calledBack = (run: (then: (error: Error | null) => void) => void): Promise<void> =>
  new Promise((done, reject) => run((error) => (error === null ? done() : reject(error))));

const SLEEP = "setTimeout(() => {}, 60_000)";

const REFUSED: readonly (readonly [call: string, run: () => unknown])[] = [
  ["net.Socket.connect", () => failing(net.connect(port, "127.0.0.1"))],
  ["net.Socket.connect", () => failing(get({ host: "127.0.0.1", port, agent: false }))],
  ["net.Server.listen", () => net.createServer().listen(0)],
  ["dgram.Socket.bind", () => dgram.createSocket("udp4").bind(0)],
  ["dgram.Socket.send", () => dgram.createSocket("udp4").send("x", port)],
  ["globalThis.fetch", () => fetch(`http://127.0.0.1:${port}`)],
  ["dns.lookup", () => calledBack((then) => dns.lookup("localhost", then))],
  ["dns.promises.lookup", () => dns.promises.lookup("localhost")],
  ["dns.Resolver.resolve4", () => calledBack((then) => new dns.Resolver().resolve4("localhost", then))],
  ["dns.promises.Resolver.resolve4", () => new dns.promises.Resolver().resolve4("localhost")],
  ["child_process.spawn", () => processes.spawn("node", ["-e", SLEEP])],
  ["child_process.spawnSync", () => processes.spawnSync("node", ["-v"])],
  ["child_process.exec", () => processes.exec("node -v")],
  ["ChildProcess.spawn", () => promisify(processes.execFile)("node", ["-v"])],
  ["child_process.execSync", () => processes.execSync("node -v")],
  ["child_process.execFileSync", () => processes.execFileSync("node", ["-v"])],
  ["child_process.fork", () => processes.fork(file)],
  ["worker_threads.Worker", () => new Worker(SLEEP, { eval: true })],
  ["process.kill", () => process.kill(process.pid, 0)],
  ["process.exit", () => process.exit(3)],
  ["fs.writeFileSync", () => fs.writeFileSync(file, "x")],
  ["fs.writeFile", () => calledBack((then) => fs.writeFile(file, "x", then))],
  ["fs.promises.writeFile", () => writeFile(file, "x")],
  ["fs.appendFileSync", () => fs.appendFileSync(file, "x")],
  ["fs.openSync", () => fs.openSync(file, "a")],
  ["fs.openSync", () => fs.openSync(file, fs.constants.O_RDWR)],
  ["fs.promises.open", () => open(file, "r+")],
  ["fs.createWriteStream", () => fs.createWriteStream(file)],
  ["fs.open", () => failing(new fs.WriteStream(file as never))],
  ["fs.promises.rm", () => rm(file)],
  ["fs.renameSync", () => fs.renameSync(file, `${file}.old`)],
  ["fs.unlinkSync", () => fs.unlinkSync(file)],
  ["fs.mkdirSync", () => fs.mkdirSync(join(folder, "made"))],
  ["fs.promises.mkdtemp", () => mkdtemp(join(folder, "made"))],
  ["fs.copyFileSync", () => fs.copyFileSync(file, `${file}.copy`)],
  ["fs.cpSync", () => fs.cpSync(file, `${file}.copy`)],
  ["fs.symlinkSync", () => fs.symlinkSync(file, `${file}.link`)],
  ["fs.linkSync", () => fs.linkSync(file, `${file}.link`)],
  ["fs.truncateSync", () => fs.truncateSync(file)],
  ["fs.chmodSync", () => fs.chmodSync(file, 0o600)],
  ["fs.utimesSync", () => fs.utimesSync(file, 0, 0)],
];

for (const [at, [call, run]] of REFUSED.entries())
  test(`a step that calls ${call} is refused before the call has an effect (${at + 1})`, async () => {
    const [first] = await refusedIn(run);
    assert.equal(first, call);
    assert.deepEqual(fs.readdirSync(folder), ["kept.txt"]);
    assert.equal(await readFile(file, "utf8"), "as it was");
    assert.equal(connections, 0);
  });

test("what is refused in a step is allowed beside it, and again after `allowEffects`", async () => {
  refusingEffects(STEP, () => {});
  fs.writeFileSync(join(folder, "other"), "x");
  await writeFile(join(folder, "other"), "y");
  const socket = net.connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  assert.match((await promisify(execFile)("node", ["-v"])).stdout, /^v/);
  await rm(join(folder, "other"));
  await refusedIn(async () => {
    allowEffects();
    await writeFile(join(folder, "other"), "z");
    assert.ok(Date.now() > AT);
  });
  await rm(join(folder, "other"));
});

// GE1: in its promises and timers too.
test("what a step does later is refused too: after a promise, in a timer, in a callback", async () => {
  const later = async (): Promise<void> => {
    await readFile(file);
    await new Promise(setImmediate);
    await new Promise((done) => fs.stat(file, done));
    fs.writeFileSync(file, "x");
  };
  assert.deepEqual(await refusedIn(later), ["fs.writeFileSync"]);
});

test("a step that catches the error is found all the same", async () => {
  const deaf = async (): Promise<string> => {
    await fetch(`http://127.0.0.1:${port}`).catch(() => {});
    return "sent";
  };
  assert.deepEqual(await refusedIn(deaf), ["globalThis.fetch"]);
});

// GE3: what was open before, once `readyToRefuse` has run.
test("a step cannot write to a socket, file or session that was open before", async () => {
  await readyToRefuse();
  const socket = net.connect(port, "127.0.0.1");
  await once(socket, "connect");
  const [handle, fd] = [await open(file, "a"), fs.openSync(file, "a")];
  const stream = fs.createWriteStream(file, { flags: "a" });
  await once(stream, "open");

  assert.deepEqual(await refusedIn(() => handle.write("x")), ["FileHandle.write"]);
  assert.deepEqual(await refusedIn(() => handle.appendFile("x")), ["FileHandle.appendFile"]);
  assert.deepEqual(await refusedIn(() => fs.writeSync(fd, "x")), ["fs.writeSync"]);
  assert.deepEqual(await refusedIn(() => fs.ftruncateSync(fd)), ["fs.ftruncateSync"]);
  assert.deepEqual(await refusedIn(() => stream.write("x")), ["fs.WriteStream.write"]);
  const failed = failing(socket).catch((error: Error) => error);
  assert.deepEqual(await refusedIn(() => socket.write("MAIL FROM")), ["net.Socket.write"]);
  assert.ok((await failed) instanceof ReplayEffect);
  const other = net.connect(port, "127.0.0.1").on("error", () => {});
  await once(other, "connect");
  assert.deepEqual(await refusedIn(() => other.end("QUIT")), ["net.Socket.end"]);
  stream.destroy();
  fs.closeSync(fd);
  await handle.close();
  assert.equal(received, "");
  assert.equal(await readFile(file, "utf8"), "as it was");
});

test("a step sends no request on an HTTP/2 session that is open", async () => {
  await readyToRefuse();
  const web = http2.createServer((_, response) => response.end("x"));
  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  const session = http2.connect(`http://127.0.0.1:${(web.address() as AddressInfo).port}`);
  await once(session, "connect");
  assert.deepEqual(await refusedIn(() => session.request({ ":path": "/" })), ["http2.request"]);
  session.close();
  web.close();
});

test("a step may read files and print", async () => {
  const printed = fs.openSync(file, "r");
  const reading = async (): Promise<void> => {
    assert.equal(await readFile(file, "utf8"), "as it was");
    assert.equal(fs.readFileSync(printed, "utf8"), "as it was");
    const handle = await open(file);
    assert.equal((await handle.readFile()).toString(), "as it was");
    await handle.close();
    for await (const piece of fs.createReadStream(file)) assert.equal(String(piece), "as it was");
    process.stdout.write("");
    fs.writeSync(1, "");
  };
  assert.deepEqual(await refusedIn(reading), []);
  fs.closeSync(printed);
});

// GE2: the time of the entry at which the run stood.
test("a step's clock stands at the time it is given, and dates stay dates", async () => {
  const before = Date;
  await refusingEffects(STEP, async () => {
    await new Promise(setImmediate);
    assert.equal(Date.now(), AT);
    assert.equal(new Date().toISOString(), "2026-01-02T00:00:00.000Z");
    assert.equal(Date(), new before(AT).toString());
    assert.equal(new Date(2020, 1, 3).getFullYear(), 2020);
    assert.equal(new Date(5).getTime(), 5);
    for (const date of [new Date(), new before(5)]) {
      assert.ok(date instanceof Date && date instanceof before);
      assert.equal(Object.getPrototypeOf(date), Date.prototype);
      assert.equal(date.constructor, Date);
    }
    class Day extends Date {}
    assert.ok(new Day() instanceof Day);
    assert.equal(new Day().getTime(), AT);
  });
  assert.ok(Date.now() > AT && new Date().toISOString() > "2026-01-03");
  allowEffects();
  assert.equal(Date, before);
});

test("effects that come when nothing waits for them do not end the process, other errors do", async () => {
  const program = `
    import { writeFile } from "node:fs/promises";
    import { connect } from "node:net";
    import { refusingEffects } from "#runtime/replay/refused-effects.js";
    const step = { node: "N", at: 0, onRefused: (error) => console.log(error.call) };
    refusingEffects(step, () => {
      void writeFile("never", "x");
      void (async () => { await writeFile("never", "x").catch((cause) => { throw new Error("no", { cause }); }); })();
      setImmediate(() => process.kill(process.pid));
      connect(1);
    });
    setTimeout(() => { console.log("alive"); Promise.reject(new Error("mine")); }, 50);
    setTimeout(() => console.log("not reached"), 5_000);
  `;
  const run = promisify(execFile)(process.execPath, textArguments(program), { cwd: textFolder });
  const ended = (await run.then(
    () => assert.fail("it ended well"),
    (error: unknown) => error,
  )) as { readonly stdout: string; readonly stderr: string };
  const calls = ["fs.promises.writeFile", "fs.promises.writeFile", "net.Socket.connect", "process.kill"];
  assert.deepEqual(ended.stdout.trim().split("\n"), [...calls, "alive"]);
  assert.match(ended.stderr, /mine/);
});
