import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { inspected } from "../support/inspected.js";
import { pageAt } from "./page.js";

const page = pageAt("docs/inspector.md").text;

describe("docs/inspector.md", () => {
  test("has a row for each endpoint, with whom it is for and what it does, and no other", () => {
    const { ingress } = inspected();
    const mounted = ingress.routes().map(({ method, path, guards, summary }) => {
      const isOpen = !guards.includes("AuthGuard") && !guards.includes("InspectorTicket");
      const isForOperators =
        guards.includes("InspectorOperator") || (method !== "GET" && guards.includes("InspectorRole"));
      const role = isOpen ? "anybody" : isForOperators ? "operator" : "viewer";
      return `| ${method} \`${path}\` | ${role} | ${summary} |`;
    });
    const told = [...page.matchAll(/^\| (?:GET|POST|PATCH|DELETE|PUT) .*$/gm)].map(([row]) => row);

    assert.deepEqual([...told].sort(), [...mounted].sort());
  });
});
