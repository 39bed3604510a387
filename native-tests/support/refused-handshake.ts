import assert from "node:assert/strict";

import { HandshakeRefused } from "framework/http";

/** What a handshake was answered that did not become a connection. */
export async function refused(opening: Promise<unknown>) {
  const error = await opening.then(
    () => assert.fail("it was opened"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof HandshakeRefused, String(error));
  return error.response;
}
