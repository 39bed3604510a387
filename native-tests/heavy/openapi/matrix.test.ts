// What the document says of routes, and what a client sees of them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { RunningServer } from "framework";
import { described, documentOf, type Operation, operationOf } from "framework/openapi";

import { type Asked, ask, askWithoutBody, type Seen } from "../../support/matrix-request.js";
import "../../support/openapi-matrix/answers.js";
import "../../support/openapi-matrix/guards.js";
import "../../support/openapi-matrix/identity.js";
import "../../support/openapi-matrix/input.js";
import { ingress, matrix, type Row } from "../../support/openapi-matrix/rows.js";
import { cancelling } from "../../support/openapi-matrix/runs.js";
import { requireWhole } from "../../support/written-document.js";

let server: RunningServer;
let port: number;
const operations = new Map<string, Operation>();

before(async () => {
  server = await ingress.bind("127.0.0.1:0").run();
  cancelling.cancel = (runId, reason) => server.runs.cancel(runId, reason);
  port = Number(server.address.split(":").at(-1));
  for (const route of ingress.routes()) operations.set(`${route.method} ${route.path}`, operationOf(route));
});
after(() => server.close());

const merged = (base: Asked, more: Asked): Asked => ({
  ...base,
  ...more,
  headers: { ...base.headers, ...more.headers },
});

async function provoked({ base, ask: asked }: Row, status: number): Promise<Seen> {
  const send = (more: Asked = {}): Promise<Seen> => ask(port, merged(base, more));
  if (status === 408) return askWithoutBody(port, base);
  const provocation = asked[status] as Asked | ((one: typeof send) => Promise<Seen>);
  return typeof provocation === "function" ? provocation(send) : send(provocation);
}

describe("the described responses of", { concurrency: 100 }, () => {
  for (const row of matrix)
    test(`${row.method} ${row.path} are those that a client can see`, async () => {
      const operation = operations.get(`${row.method} ${row.path}`) as Operation;
      const declared = operation.responses.map(({ status }) => status);
      assert.deepEqual(declared, Object.keys(row.ask).map(Number), "each declared status is provoked");

      for (const { status, content, problems } of operation.responses) {
        const seen = await provoked(row, status);
        assert.equal(seen.status, status, `${status}: ${seen.text}`);
        if (seen.code !== undefined)
          assert.ok(
            problems.some(({ code }) => code === seen.code),
            `${status} ${seen.code} is one of ${problems.map(({ code }) => code)}`,
          );
        const media = content.map((one) => one.media);
        if (seen.type !== "" && row.method !== "HEAD" && !media.includes("*/*"))
          assert.ok(media.includes(seen.type), `${status}: ${seen.type} is one of ${media}`);
        assert.equal(media.length > 0, seen.type !== "", `${status}: a body or none`);
      }
    });
});

test("the document of all of them refers to each schema by name", () =>
  requireWhole(documentOf(described(ingress.routes()))));
