// Sends many requests of all kinds, aborts many others midway, and checks that the server
// releases everything: `npm run soak -- --help`.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { commandLine } from "./command-line.mjs";

const USAGE = `npm run soak -- [--requests N] [--aborts N] [--connections N] [--growth MIB]

Sends N requests (default 20 000) of all kinds of bodies over --connections connections (16)
and aborts N others (2000) halfway, after a tenth of each to warm up. Ends with 1 where the
server then holds more than --growth MiB (10) more memory, more open files, or a temporary
file, or where a request was answered otherwise than it should be. A million requests
with 100 000 aborts take some minutes.`;

const OPTIONS = {
  requests: { type: "string", default: "20000" },
  aborts: { type: "string", default: "2000" },
  connections: { type: "string", default: "16" },
  growth: { type: "string", default: "10" },
};

const { requests, aborts, connections, growth } = commandLine(USAGE, { options: OPTIONS }, ({ count }) => ({
  requests: count("requests"),
  aborts: count("aborts"),
  connections: count("connections", 1),
  growth: count("growth"),
}));

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const MIB = 1024 * 1024;

const head = (method, target, ...lines) =>
  `${[`${method} ${target} HTTP/1.1`, "Host: a", ...lines].join("\r\n")}\r\n\r\n`;
const post = (target, type, body, ...lines) =>
  head("POST", target, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...lines) +
  body;
const MULTIPART = "multipart/form-data; boundary=b";
const file = `--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n${"x".repeat(2000)}\r\n`;
const large = "x".repeat(100_000);

/** Requests, each with its expected status. */
const KINDS = [
  [head("GET", "/"), 200],
  [post("/json", "application/json", '{"a":[1,2,3],"b":"text"}'), 200],
  [post("/json", "application/json", "{"), 400],
  [post("/form", "application/x-www-form-urlencoded", "n=1&tag=a&tag=b"), 200],
  [post("/count", "application/octet-stream", "hello"), 200],
  [head("GET", "/nowhere"), 404],
  [post("/half", "text/plain", "some text"), 200],
  [head("GET", "/"), 200],
];
/** Expensive requests: one in a hundred each. */
const RARE = [
  [post("/upload", MULTIPART, `${file}--b--`), 200],
  [post("/upload", MULTIPART, file), 400],
  [post("/count", "application/octet-stream", large), 200],
  [`${head("POST", "/count", "Transfer-Encoding: chunked")}5\r\nhello\r\n0\r\n\r\n`, 200],
  [`${head("POST", "/unread-later", "Transfer-Encoding: chunked")}5\r\nhello\r\n0\r\n\r\n`, 200],
];
/** Requests that are aborted midway. */
const ABORTED = [
  "GET / HTTP/1.1\r\nHost",
  `${head("POST", "/json", "Content-Type: application/json", "Content-Length: 50")}{"a":`,
  head("POST", "/count", "Content-Length: 5000000") + large,
  head("POST", "/slowly", "Content-Length: 5000000") + large,
  head("POST", "/never", "Content-Length: 5000000") + large,
  `${head("POST", "/count", "Transfer-Encoding: chunked")}5\r\nhel`,
  head("POST", "/upload", `Content-Type: ${MULTIPART}`, "Content-Length: 5000000") + file,
  `${head("POST", "/guarded-bytes", "X-Let-Me: in", "Content-Length: 900")}hello`,
  head("POST", "/guarded", "X-Let-Me: in", "Content-Length: 5000000") + large,
  post("/upload-slowly", MULTIPART, `${file}--b--`),
];
/** Last answers of connections that the client leaves to the server to end. */
const LAST = [
  head("HEAD", "/", "Connection: close"),
  head("HEAD", "/", "Connection: TE, close"),
  head("OPTIONS", "/", "Connection: TE, close"),
  head("GET", "/", "Connection: TE, close"),
  `${head("POST", "/half", "Content-Length: 5000000")}x`,
];

const uploads = mkdtempSync(join(tmpdir(), "framework-soak-"));
const server = spawn(
  process.execPath,
  [
    ...["--expose-gc", "--conditions=framework-source", "--import", "tsx"],
    ...["native-tests/support/serve.ts", "./input-ingress.js", JSON.stringify({ directory: uploads })],
  ],
  {
    env: { ...process.env, FRAMEWORK_PROFILE: "prod" },
    stdio: ["ignore", "pipe", "inherit"],
  },
);
process.on("exit", () => {
  server.kill("SIGKILL");
  rmSync(uploads, { recursive: true, force: true });
});
const port = await new Promise((resolve, reject) => {
  server.stdout.setEncoding("utf8").on("data", (text) => {
    const [, told] = /listening \S+:(\d+)/.exec(text) ?? [];
    if (told !== undefined) resolve(Number(told));
  });
  server.on("exit", (code) => reject(new Error(`The server ended with ${code}`)));
});

/** A kept connection, opened again if the server closed it. */
class Client {
  body = "";
  #socket;
  #text = "";
  #tell = () => {};

  /** Resolves to the status, or 0 if the connection ended without one. */
  ask(request) {
    this.#socket ??= this.#connect();
    return new Promise((resolve) => {
      this.#tell = resolve;
      this.#socket.write(request);
    });
  }

  close() {
    this.#socket?.destroy();
  }

  #connect() {
    const socket = connect(port, "127.0.0.1").setNoDelay();
    this.#text = "";
    socket.setEncoding("latin1").on("data", (text) => this.#take(text));
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#tell(0);
    });
    return socket;
  }

  #take(text) {
    this.#text += text;
    const end = this.#text.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(this.#text)?.[1] ?? Number.NaN);
    if (end < 0 || this.#text.length < end + 4 + length) return;
    const status = Number(this.#text.slice(9, 12));
    this.body = this.#text.slice(end + 4);
    if (/connection: close/i.test(this.#text)) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    this.#text = "";
    this.#tell(status);
  }
}

let right = 0;
let left = 0;
let wrong = 0;
await load(Math.ceil(requests / 10), Math.ceil(aborts / 10));
const before = await measured();
console.log(`warm    ${told(before)}`);
for (let tenth = 1; tenth <= 10; tenth += 1) {
  await load(Math.ceil(requests / 10), Math.ceil(aborts / 10));
  console.log(`${String(tenth * 10).padStart(3)} %   ${told(await measured())}`);
}
const after = await settled(before);
console.log(`settled ${told(after)}`);

const complaints = [
  after.memory - before.memory > growth * MIB && `${mib(after.memory - before.memory)} MiB more memory`,
  after.files > before.files + 2 && `${after.files - before.files} more open files`,
  after.left > 0 && `${after.left} temporary files`,
  after.open > 0 && `${after.open} open connections`,
  wrong > 0 && `${wrong} wrong answers`,
].filter(Boolean);
console.log(`${right} answered, ${left} left`);
console.log(complaints.length === 0 ? "Nothing is left behind" : `Left behind: ${complaints.join(", ")}`);
process.exit(complaints.length === 0 ? 0 : 1);

/** Requests on some connections and aborts on others, concurrently. */
async function load(requestCount, abortCount) {
  let waiting = requestCount;
  let leaving = abortCount;
  const asking = Array.from({ length: connections }, async () => {
    const client = new Client();
    for (let i = waiting; i > 0; i = waiting) {
      waiting -= 1;
      const rare = i % 100 < RARE.length;
      const [request, status] = rare ? RARE[i % 100] : KINDS[i % KINDS.length];
      const got = await client.ask(request);
      if (got === status) {
        right += 1;
        continue;
      }
      wrong += 1;
      if (wrong <= 5) console.error(`${JSON.stringify(request.slice(0, 60))}: ${got} in place of ${status}`);
    }
    client.close();
  });
  const going = Array.from({ length: Math.min(64, abortCount) }, async () => {
    for (let i = leaving; i > 0; i = leaving) {
      leaving -= 1;
      await abort(ABORTED[i % ABORTED.length]);
      left += 1;
    }
  });
  await Promise.all([...asking, ...going, ...LAST.map(ended)]);
}

/** Waits until the server has ended the connection. */
function ended(request) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.resume().on("error", () => {});
    socket.on("close", resolve).on("connect", () => socket.write(request));
  });
}

/** The connections of the server by the kernel's table, without those that wait in TIME_WAIT for nothing. */
function openConnections() {
  const at = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const [, ...lines] = readFileSync(`/proc/${server.pid}/net/tcp`, "utf8").trim().split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local.endsWith(at) && state !== "0A" && state !== "06").length;
}

function abort(request) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("close", resolve);
    socket.on("connect", () => socket.write(request, () => setTimeout(() => socket.resetAndDestroy(), 2)));
  });
}

async function measured() {
  // Closed connections are released a moment later.
  await pause(300);
  const facts = new Client();
  await facts.ask(head("GET", "/facts"));
  await facts.ask(head("GET", "/facts"));
  const { memory } = JSON.parse(facts.body);
  facts.close();
  await pause(100);
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return {
    memory,
    rss: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024,
    files: readdirSync(`/proc/${server.pid}/fd`).length,
    left: readdirSync(uploads).length,
    open: openConnections(),
  };
}

/** Aborted runs may take a while to end: /upload-slowly takes 4 s. */
async function settled(wanted) {
  let now = await measured();
  for (let i = 0; i < 20; i += 1) {
    const quiet =
      now.memory - wanted.memory <= (growth * MIB) / 2 &&
      now.files <= wanted.files &&
      now.left + now.open === 0;
    if (quiet) break;
    await pause(700);
    now = await measured();
  }
  return now;
}

function mib(bytes) {
  return (bytes / MIB).toFixed(1);
}

function told({ memory, rss, files, left, open }) {
  return `${mib(memory).padStart(7)} MiB held, ${mib(rss).padStart(7)} MiB resident, ${files} files open, ${open} connections, ${left} uploads`;
}
