import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { readPem } from "#http/tls/pem.js";
import { issue } from "../../support/issued-certificate.js";

const block = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const label = fc.constantFrom("CERTIFICATE", "PRIVATE KEY", "EC PARAMETERS");
const body = fc.base64String({ minLength: 4, maxLength: 40 });
const comment = fc.stringMatching(/^[a-zA-Z :]{0,20}$/);

describe("a PEM file", () => {
  test("is read as the blocks that it was written of, whatever stands between them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(comment, label, body)),
        comment,
        fc.constantFrom("\n", "\r\n"),
        (parts, end, eol) => {
          const text = `${parts.map(([before, name, inner]) => `${before}\n${block(name, inner)}`).join("")}${end}`;
          const blocks = readPem("x.pem", text.replaceAll("\n", eol));

          assert.deepEqual(
            blocks.map((each) => each.text),
            parts.map(([, name, inner]) => block(name, inner)),
          );
          const lines = text.split("\n");
          for (const each of blocks) assert.equal(lines[each.line - 1], `-----BEGIN ${each.label}-----`);
        },
      ),
    );
  });

  test("that is cut anywhere holds no block that is not whole", () => {
    const { cert } = issue({ subject: "x" });
    const whole = cert + cert;
    fc.assert(
      fc.property(fc.nat(whole.length), (length) => {
        // The last line feed is nothing that is missed.
        const count = Math.floor((length + 1) / cert.length);
        const read = () => readPem("x.pem", whole.slice(0, length)).map(({ text }) => text);

        try {
          assert.deepEqual(read(), new Array(count).fill(cert));
        } catch (error) {
          assert.match((error as Error).message, /has no end/);
        }
      }),
    );
  });
});
