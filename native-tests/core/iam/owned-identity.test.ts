import assert from "node:assert/strict";
import { test } from "node:test";

import { verifiedName } from "#core/iam/owned-identity.js";

test("different pairs of issuer and subject have different names", () => {
  const pairs = [["a"], ["1:b:a"], ["a", "b"], ["0::a"], ["b:a", "1"], [":a"], ["a", "1:b"]] as const;
  const names = pairs.map(([subject, issuer]) =>
    verifiedName({ subject, roles: [], claims: {}, ...(issuer !== undefined && { issuer }) }),
  );

  assert.equal(new Set(names).size, pairs.length, names.join(" "));
  assert.deepEqual(names.slice(0, 3), ["a", "0::1:b:a", "1:b:a"]);
});
