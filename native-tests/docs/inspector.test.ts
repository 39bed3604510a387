import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { asViewer, inspected } from "../support/inspected.js";
import { pageAt } from "./page.js";

const page = pageAt("docs/inspector.md").text;

describe("docs/inspector.md", () => {
  test("has a row for each endpoint, with whom it is for and what it does, and no other", async () => {
    const { app, ingress } = inspected();
    const refused = new Set<string>();
    for (const { method, path } of ingress.routes())
      if (method === "GET" && !path.includes(":") && (await app.get(path, asViewer)).status === 403)
        refused.add(path);
    const mounted = ingress.routes().map(({ method, path, guards, summary }) => {
      const isOpen = !guards.includes("AuthGuard") && !guards.includes("InspectorTicket");
      const isForViewers = (method === "GET" && !refused.has(path)) || !guards.includes("InspectorRole");
      const role = isOpen ? "anybody" : isForViewers ? "viewer" : "operator";
      return `| ${method} \`${path}\` | ${role} | ${summary} |`;
    });
    const told = [...page.matchAll(/^\| (?:GET|POST|PATCH|DELETE|PUT) .*$/gm)].map(([row]) => row);

    assert.deepEqual([...told].sort(), [...mounted].sort());
  });
});
