// What must hold of every OpenAPI document, seen from outside: references resolve, no schema has an id of
// its own, and no component stands in the document a second time.

import assert from "node:assert/strict";

type Json = any;

const DATA = ["example", "examples", "default", "const", "enum", "info"];
const MAPS = ["properties", "schemas", "responses", "headers", "paths", "securitySchemes"];

/** Every object that is no data of the program, with its place. */
function* objectsOf(value: Json, at = "", isMap = false): Generator<readonly [string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!isMap) yield [at, value];
  for (const [key, part] of Object.entries(value))
    if (isMap || !DATA.includes(key)) yield* objectsOf(part, `${at}/${key}`, !isMap && MAPS.includes(key));
}

export function requireWhole(document: Json): void {
  const components = new Map<string, string>();
  for (const [name, schema] of Object.entries<Json>(document.components.schemas))
    if (schema.properties !== undefined || schema.anyOf !== undefined) {
      const text = JSON.stringify(schema).replaceAll(`#/components/schemas/${name}"`, '#"');
      assert.ok(!components.has(text), `${name} is ${components.get(text)}`);
      components.set(text, name);
    }
  for (const [at, object] of objectsOf(document)) {
    assert.ok(!Object.hasOwn(object, "$id"), `${at} has an $id`);
    if (Object.hasOwn(object, "$ref")) {
      const steps = String(object.$ref).split("/");
      const target = steps.slice(1).reduce((value, step) => value?.[step], document);
      assert.ok(steps[0] === "#" && target !== undefined, `${at}: ${object.$ref} leads nowhere`);
    }
    const twin = components.get(JSON.stringify(object));
    assert.ok(twin === undefined || at === `/components/schemas/${twin}`, `${at} is ${twin}`);
  }
}
