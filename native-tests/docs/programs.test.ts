// Programs that pages show, as processes of their own: they print what the pages say.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { dirname } from "node:path";
import { test } from "node:test";

import { skipWithout } from "../support/debian-program.js";
import { fromRoot } from "../support/root.js";
import { bareEnvironment, programArguments } from "../support/run-program.js";
import { pageAt, textsIn } from "./page.js";
import { settled } from "./settled.js";

/** Starts a program in its folder, calls `ask` once it has `told` its address, and returns what it printed. */
async function printedBy(
  file: string,
  env: Readonly<Record<string, string>>,
  told: RegExp,
  ask: (address: string) => Promise<void> | void,
): Promise<string> {
  const child = spawn(process.execPath, programArguments(file), {
    cwd: fromRoot(dirname(file)),
    env: { ...bareEnvironment(), FRAMEWORK_SERVER_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  let printed = "";
  try {
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        const [, address] = told.exec(printed) ?? [];
        if (address !== undefined) resolve(address);
      });
      child.once("exit", (code) => reject(new Error(`It ended with ${code}`)));
    });
    await ask(address);
  } finally {
    child.kill();
  }
  await closed;
  return printed;
}

const posted = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

test("the program of README.md runs as it stands and answers", async () => {
  const printed = await printedBy(
    "examples/postage/main.ts",
    {},
    /listening on http:\/\/(\S+)\n/,
    async (address) => {
      const post = async (body: unknown, type?: Record<string, string>) => {
        const response = await posted(`http://${address}/postage`, body, type);
        return [response.status, (await response.json()) as Record<string, unknown>] as const;
      };

      assert.deepEqual(await post({ grams: 100, country: "DE" }), [200, { price: "5.00 EUR" }]);
      assert.deepEqual(await post({ grams: 100, country: "FR" }), [200, { price: "16.00 EUR" }]);
      assert.deepEqual((await post({ grams: 100, country: "XX" }))[1]["code"], "EMBARGO");
      assert.equal((await post({ grams: 0, country: "DE" }))[0], 422);
      assert.equal((await post({}, { "content-type": "text/plain" }))[0], 415);
    },
  );

  assert.match(printed, /2 answer|1 route/);
});

test("the kiosk of docs/logging.md prints the lines that the page shows, in the format of the environment", async () => {
  const format = { FRAMEWORK_LOGGING_FORMAT: "compact" };
  const printed = await printedBy(
    "examples/configured/main.ts",
    format,
    /address=(\S+)\n/,
    async (address) => {
      await posted(`http://${address}/sales`, { sku: "tea", cents: 500 }, { "x-request-id": "sale-17" });
    },
  );

  const shown = pageAt("docs/logging.md").blocks.find(({ above }) => above === "`compact`:");
  assert.equal(settled(printed), shown?.text);
});

test("the commands of docs/start.md print what the page shows", { skip: skipWithout("curl") }, async () => {
  const page = pageAt("docs/start.md");
  const [, port = ""] = /The server listens on port (\d+) \(/.exec(page.text) ?? [];
  const commands = [...page.text.matchAll(/^ {4}(curl .*)$/gm)].map(([, command = ""]) => command);
  let shown = "";
  await printedBy("examples/start/main.ts", {}, /http:\/\/(\S+)\/berths/, (address) => {
    const script = commands.map((each) =>
      each.replace(`localhost:${port}`, address).replace("curl", "curl -s"),
    );
    shown = execFileSync("bash", ["-c", script.join("; echo; ")], { encoding: "utf8" });
  });

  assert.equal(settled(`${shown}\n`), settled(textsIn(page, "text")[0] ?? ""));
});
