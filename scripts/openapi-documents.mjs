// Writes the OpenAPI document of every ingress that the examples make, and that of the Inspector, to a
// folder, a file each.
// `npm run openapi-check` runs it through tsx.

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Framework } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import { jsonText } from "#openapi/document-text.js";
import { exportedDocument } from "#openapi/exported-document.js";

const [, , folder] = process.argv;
const NOT_MODULES = /(?:\.test|main|start|config|-file)\.ts$/;

/** A placeholder for an argument: a function that returns itself. */
const anything = new Proxy(() => anything, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => "memory:" : name === "then" ? undefined : anything),
});

const isIngress = (value) => typeof value?.routes === "function" && value.plan !== undefined;

/** The ingress that an example exports or that its function makes; undefined if it needs real arguments. */
function ingressOf(value) {
  if (isIngress(value)) return value;
  if (typeof value !== "function" || /^(?:class|async)\b/.test(String(value))) return undefined;
  for (const argument of [anything, "memory:"])
    try {
      const result = value(...Array.from({ length: value.length }, () => argument));
      const found = [result, result?.ingress].find(isIngress);
      if (found !== undefined) return found;
    } catch {
      // It needs a real argument.
    }
  return undefined;
}

mkdirSync(folder, { recursive: true });
const written = [];
for (const example of readdirSync("examples"))
  for (const file of readdirSync(join("examples", example))) {
    if (!file.endsWith(".ts") || NOT_MODULES.test(file)) continue;
    const exported = await import(pathToFileURL(join("examples", example, file)).href);
    for (const [name, value] of Object.entries(exported)) {
      const ingress = ingressOf(value);
      if (ingress === undefined) continue;
      const out = `${example}-${file.replace(".ts", "")}-${name}.json`;
      writeFileSync(join(folder, out), jsonText(await exportedDocument(ingress, {})));
      written.push(out);
    }
  }
const inspected = Framework.http().inspector({ enabled: true });
await new TestApp(inspected).start();
const { app, token } = inspectorOf(inspected);
const headers = { host: "localhost", authorization: `Bearer ${token}` };
writeFileSync(join(folder, "inspector.json"), (await app.get("/api/v1/openapi.json", { headers })).text);
console.log(`${written.length} documents of the examples, and that of the Inspector`);
process.exit();
