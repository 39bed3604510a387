import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

import { askedServer, ecKey, json } from "../../support/jwks-server.js";
import { textArguments, textFolder } from "../../support/run-program.js";

const PROGRAM = `
  import { JwtKeys, IntrospectionVerifier } from "framework/std";
  const [base, timeoutMs] = process.argv.slice(1);
  const options = { timeoutMs: Number(timeoutMs) };
  const keys = JwtKeys.url(base + "/jwks", { ...options, reporter: () => {} });
  const credentials = { clientId: "c", clientSecret: "s" };
  const verifier = new IntrospectionVerifier({ url: base + "/introspect", ...credentials, ...options });
  const { signal } = new AbortController();
  const key = await keys.find({ alg: "ES256", kid: "one" }, { signal });
  const answer = await verifier.verify("token", { signal });
  const done = performance.now();
  process.on("exit", () => console.log(key?.kind ?? key?.type, answer.kind, Math.round(performance.now() - done)));
`;

/** What a program wrote that asks for both, when it had ended by itself. */
async function written(base: string, timeoutMs: number): Promise<readonly string[]> {
  const node = textArguments(PROGRAM, base, String(timeoutMs));
  const child = spawn(process.execPath, node, { cwd: textFolder });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  child.stderr.pipe(process.stderr);
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  assert.equal(code, 0);
  return text.trim().split(" ");
}

test("a program that has asked for keys ends when it is done, and no timer keeps it", async () => {
  const server = await askedServer((request, response) =>
    json(request.url === "/jwks" ? { keys: [ecKey("one").jwk] } : { active: false })(request, response),
  );

  // A minute: a timer that is left would keep it as long.
  const [key, answer, ms] = await written(server.base, 60_000);
  assert.deepEqual([key, answer], ["public", "InvalidToken"]);
  assert.ok(Number(ms) < 2000, `${ms} ms`);
});

test("a program whose server never answers is told so in time, and ends", async () => {
  const server = await askedServer(() => {});

  const [key, answer, ms] = await written(server.base, 100);
  assert.deepEqual([key, answer], ["VerifierUnavailable", "VerifierUnavailable"]);
  assert.ok(Number(ms) < 2000, `${ms} ms`);
});
