// Generates clients from the documents of three running examples (examples/documented/clients), compiles
// them strictly, and calls the servers with them: `npm run openapi-clients`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { ferries } from "../examples/bookings/app.js";
import { Payments } from "../examples/bookings/payments.js";
import { tides } from "../examples/documented/tides.js";
import { shop } from "../examples/orders/app.js";
import { Inventory, loadCatalogue } from "../examples/orders/shop.js";
import { commandLine } from "./command-line.mjs";
import { installed } from "./own-packages.mjs";

commandLine(`npm run openapi-clients

Generates clients with openapi-typescript and orval, compiles them and calls running servers.`);

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TOOLS = installed("openapi-tools");
/** Below the tools, whose packages the clients import. */
const WORK = join(TOOLS, ".build/clients");

rmSync(WORK, { recursive: true, force: true });
cpSync(join(ROOT, "examples/documented/clients"), WORK, { recursive: true });
mkdirSync(join(WORK, "generated"));

const catalogue = loadCatalogue();
const servers = {
  shop: await started(shop({ send: () => {} }), { Catalogue: catalogue, Stock: new Inventory(catalogue) }),
  ferries: await started(ferries("memory:"), { Payments: new Payments(join(WORK, "payments.jsonl"), 0) }),
  tides: await started(tides({ verify: () => ({ subject: "ada", roles: ["staff"], claims: {} }) }), {}),
};
try {
  for (const [name, { url }] of Object.entries(servers)) {
    const document = await fetch(`${url}/openapi.json`);
    writeFileSync(join(WORK, "generated", `${name}.json`), await document.text());
    await tool("openapi-typescript", `generated/${name}.json`, "-o", `generated/${name}.ts`);
  }
  await tool("orval");
  await compile();
  await callWithFetch(servers);
  await callWithOrval(servers);
  console.log("The generated clients of the examples compile, and their calls are answered");
} finally {
  for (const { close } of Object.values(servers)) await close();
}

function started(ingress, resources) {
  return ingress.bind("127.0.0.1:0").run(resources);
}

function tool(name, ...args) {
  return run(join(TOOLS, "node_modules/.bin", name), args);
}

/** With the repository's compiler and options; the declarations of the tools are checked too. */
function compile() {
  const compilerOptions = {
    ...{ noEmit: false, outDir: "compiled", skipLibCheck: false, customConditions: [] },
    // openapi-fetch names types of the DOM.
    ...{ lib: ["ES2023", "DOM"], types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] },
  };
  const config = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*.ts"], exclude: [] };
  writeFileSync(join(WORK, "tsconfig.json"), JSON.stringify(config));
  return run(join(ROOT, "node_modules/.bin/tsc"), ["-p", "tsconfig.json"]);
}

/** The servers keep running meanwhile. */
async function run(command, args) {
  const [status] = await once(
    spawn(command, args, { cwd: WORK, stdio: ["ignore", "inherit", "inherit"] }),
    "close",
  );
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed in ${WORK}`);
}

function compiled(module) {
  return import(pathToFileURL(join(WORK, "compiled", `${module}.js`)));
}

function photograph(type) {
  return new File(["a gauge"], "gauge.jpg", { type });
}

async function callWithFetch({ shop, ferries, tides }) {
  const { shopClient } = await compiled("shop-fetch");
  const client = shopClient(shop.url);
  assert.equal(await client.priceOf("tea"), catalogue.get("tea").price_cents);
  assert.equal(await client.priceOf("nothing"), undefined);
  assert.equal(await client.order("Ada", "tea", 2), 2 * catalogue.get("tea").price_cents);
  assert.equal((await client.order("Ada", "tea", 0)).code, "INPUT_INVALID");
  assert.equal((await client.order("Ada", "nothing", 1)).code, "UNKNOWN_PRODUCT");
  const { book } = await compiled("ferries-fetch");
  assert.match(await book(ferries.url, "Ada", 7), /^receipt-/);
  assert.equal(await book(ferries.url, "Ada", 77), "NO_SUCH_CABIN");
  const { sighting } = await compiled("tides-fetch");
  assert.equal(await sighting(tides.url, 6.8, photograph("image/jpeg")), 7);
  assert.equal(await sighting(tides.url, 6.8, photograph("image/gif")), "INPUT_INVALID");
}

async function callWithOrval({ shop, ferries, tides }) {
  const { server } = await compiled("call");
  server.url = shop.url;
  const { skus, priceOf, order } = await compiled("shop-orval");
  assert.deepEqual(await skus(), [...catalogue.keys()]);
  assert.equal(await priceOf("tea"), catalogue.get("tea").price_cents);
  assert.equal(await priceOf("nothing"), undefined);
  assert.equal(await order("Ada", "tea", 2), 2 * catalogue.get("tea").price_cents);
  assert.equal(await order("Ada", "tea", 0), "INPUT_INVALID");
  server.url = ferries.url;
  const { book } = await compiled("ferries-orval");
  assert.match(await book("Ada", 7), /^receipt-/);
  assert.equal(await book("Ada", 77), "NO_SUCH_CABIN");
  server.url = tides.url;
  const { sighting } = await compiled("tides-orval");
  assert.equal(await sighting(6.8, photograph("image/jpeg")), 7);
  assert.equal(await sighting(6.8, photograph("image/gif")), "INPUT_INVALID");
}
