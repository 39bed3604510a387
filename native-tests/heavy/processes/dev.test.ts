// Each test has a project of its own, whose program is started by a process of `framework dev`.

import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { startDev } from "../../support/dev-process.js";
import { freePort } from "../../support/free-port.js";
import { WebSocketClient } from "../../support/websocket-client.js";

const greeting = (word: string): string => `export const greeting: string = "${word}";\n`;

/** GET / has the greeting, GET /stuck never a response. */
const SERVER = {
  "main.ts": `
    import { Axon, Framework } from "framework";
    import { greeting } from "./greeting.js";
    const server = await Framework.http()
      .get("/", Axon.start("greet").thenFn("greet", () => ({ greeting, profile: process.env["FRAMEWORK_PROFILE"] })))
      .get("/stuck", Axon.start("stuck").thenFn("wait", () => new Promise(() => console.log("stuck"))))
      .inspector({ port: Number(process.env["INSPECTOR"]) })
      .bind("127.0.0.1:" + process.env["PORT"])
      .run();
  `,
  "greeting.ts": greeting("hello"),
  "unused.ts": "",
};

const LISTENS = /^framework dev: (?:(.*) changed: )?(http:\S+) listens after \d+ ms$/m;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("framework dev", () => {
  test("starts the program again when a file that it has loaded is saved, on the same port and for an open Inspector", async () => {
    const [port, inspector] = [await freePort(), await freePort()];
    const dev = startDev(SERVER, ["main.ts"], { PORT: String(port), INSPECTOR: String(inspector) });
    const [link] = await dev.until(/#token=\S+/);
    const [, changed, url = ""] = await dev.until(LISTENS);
    const get = async (): Promise<unknown> => (await fetch(url)).json();

    assert.deepEqual([changed, await get()], [undefined, { greeting: "hello", profile: "dev" }]);

    // What would hold a server that stops: a request without a response, a connection of the Inspector.
    const stuck = fetch(`${url}/stuck`);
    await dev.until(/^stuck$/m);
    const feed = await WebSocketClient.open(`127.0.0.1:${inspector}`, {
      path: "/api/v1/events",
      headers: {
        Host: "localhost",
        Authorization: `Bearer ${link.slice("#token=".length)}`,
        "Sec-WebSocket-Protocol": "framework.inspector.v1",
      },
    });
    assert.equal(feed.answer?.status, 101);
    dev.save("unused.ts", "export {};");
    dev.save("greeting.ts", greeting("good morning"));
    await assert.rejects(stuck);
    assert.equal((await dev.until(/#token=\S+/))[0], link);
    assert.equal((await dev.until(LISTENS))[1], "greeting.ts");
    assert.deepEqual(await get(), { greeting: "good morning", profile: "dev" });
    assert.equal(statSync(join(dev.folder, ".framework/inspector-token")).mode & 0o777, 0o600);

    writeFileSync(join(dev.folder, "framework.toml"), "");
    assert.equal((await dev.until(LISTENS))[1], "framework.toml");
    dev.signal("SIGINT");
    assert.equal(await dev.ended, 0);
    await assert.rejects(get());
  });

  test("writes an error once, and starts the program again at the next save", async () => {
    const files = { "main.ts": 'import { word } from "./word.js";\nconsole.log("It is", word);\n' };
    const dev = startDev(files, ["main.ts"]);
    const ended =
      /^framework dev: (?:(.*) changed: )?main\.ts ended with exit code (\d+)(.*) next save starts it again$/m;
    assert.deepEqual((await dev.until(ended)).slice(1), [undefined, "1", "; the"]);
    assert.match(dev.written(), /Cannot find module '.*word\.js'/);

    dev.save("word.ts", "export const word: string = ;\n");
    assert.deepEqual((await dev.until(ended)).slice(1), ["word.ts", "1", "; the"]);
    assert.equal(dev.written().split("Unexpected").length, 2);

    dev.save("word.ts", 'export const word: string = "well";\n');
    await dev.until(/^It is well$/m);
    assert.deepEqual((await dev.until(ended)).slice(1), [
      "word.ts",
      "0",
      " without a server. Does it call run()? The",
    ]);
    assert.equal(await dev.end(), 0);
  });

  test("counts what threads of the pool have loaded, and what is required", async () => {
    const dev = startDev(
      {
        "main.ts": `
          import { Axon, Bus, workerModule, workerTransition } from "framework";
          import word from "./word.cjs";
          const module = workerModule(new URL("./work.js", import.meta.url));
          const axon = Axon.start("shout").offload(workerTransition({ name: "shout", module, export: "shout" }));
          console.log("shouts", await axon.execute(word, Bus.of([])));
        `,
        "word.cjs": 'module.exports = require("./inner.cjs");\n',
        "inner.cjs": 'module.exports = "hey";\n',
        "work.ts": 'import { mark } from "./mark.js";\nexport const shout = (word: string) => word + mark;\n',
        "mark.ts": 'export const mark: string = "!";\n',
      },
      ["main.ts"],
    );
    await dev.until(/^shouts hey!$/m);
    dev.save("mark.ts", 'export const mark: string = "?";\n');
    await dev.until(/^shouts hey\?$/m);
    dev.save("inner.cjs", 'module.exports = "ho";\n');
    await dev.until(/^shouts ho\?$/m);
    assert.equal(await dev.end(), 0);
  });

  test("gives the program its arguments, keeps a profile that is set, and waits for its end at Ctrl+C", async () => {
    const program = `
      const timer = setInterval(() => {}, 1000);
      process.on("SIGTERM", () => setTimeout(() => {
        console.log("ends");
        clearInterval(timer);
      }, 50));
      console.log("begins", process.argv.slice(2), process.env["FRAMEWORK_PROFILE"], process.pid);
    `;
    const dev = startDev({ "main.mjs": program }, ["main.mjs", "--", "--port", "80"], {
      FRAMEWORK_PROFILE: "test",
    });
    const [, pid = ""] = await dev.until(/begins \[ '--port', '80' \] test (\d+)/);
    dev.signal("SIGINT");
    // npm passes on the signal of one Ctrl+C.
    dev.signal("SIGINT");

    assert.equal(await dev.ended, 0);
    assert.match(dev.written(), /\nends\n$/);
    assert.equal(isAlive(Number(pid)), false);
  });

  test("kills a program that does not end, at the second Ctrl+C", async () => {
    const program = `
      process.on("SIGTERM", () => console.log("stays"));
      setInterval(() => {}, 1000);
      console.log("begins", process.pid);
    `;
    const dev = startDev({ "main.mjs": program }, ["main.mjs"]);
    const [, pid = ""] = await dev.until(/begins (\d+)/);
    dev.signal("SIGINT");
    await dev.until(/stays/);
    assert.equal(isAlive(Number(pid)), true);
    let hasEnded = false;
    void dev.ended.then(() => {
      hasEnded = true;
    });
    while (!hasEnded) {
      dev.signal("SIGINT");
      await pause(50);
    }

    assert.equal(await dev.ended, 0);
    assert.equal(isAlive(Number(pid)), false);
  });
});
