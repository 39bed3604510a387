// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/ledger/main.ts

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { FrameworkConfig, openStores } from "framework";
import { fileAnchor, generateSigningKey, readSigningKey } from "framework/audit";

import { bank, signedLog } from "./app.js";
import { Book } from "./book.js";

const { FOLDER = ".framework/ledger", BOOK_MS = "0", LEASE_MS = "10000" } = process.env;
const [keyFile, anchor] = [join(FOLDER, "audit.pem"), join(FOLDER, "anchor.jsonl")];
mkdirSync(FOLDER, { recursive: true });
if (!existsSync(keyFile)) {
  // `framework audit keygen` does the same. A real anchor is on another machine.
  const { privateKey, publicKey } = generateSigningKey();
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  writeFileSync(`${keyFile}.pub`, publicKey);
}
const key = readSigningKey(keyFile);
const url = `sqlite:${join(FOLDER, "ledger.db")}`;
const stores = openStores(url);

const server = await bank(stores, signedLog(stores, key, anchor), Number(LEASE_MS))
  .inspector({ audit: { keys: [key], anchor: fileAnchor(anchor) }, port: 0 })
  .config(FrameworkConfig.load())
  .run({ Book: new Book(join(FOLDER, "book.jsonl"), Number(BOOK_MS)) });

console.log(`listening on ${server.url}

  curl ${server.url}/transfers -H 'authorization: Bearer ada' -H 'content-type: application/json' \\
    -d '{"from":"rent","to":"savings","cents":4200}'
  framework audit verify --url ${url} --key ${keyFile}.pub --anchor ${anchor}

Start it with BOOK_MS=20000, book, and kill it with \`kill -9 ${process.pid}\`: the next start books the transfer
within ${LEASE_MS} ms, and its audit log has it once.`);
