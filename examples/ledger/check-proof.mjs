// Checks a proof of `framework audit prove` with the public key alone, and with nothing of the package:
// node check-proof.mjs proof.json audit.pem.pub

import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** RFC 8785: JSON with the members in the order of their names. */
const canonical = (value) => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
};

/** RFC 9162, section 2.1.3.2: the root that a path leads to. */
function rootOf(leaf, index, size, path) {
  let [node, last, root] = [index, size - 1, leaf];
  for (const step of path.map((hash) => Buffer.from(hash, "hex"))) {
    if (last === 0) return "";
    if (node % 2 === 1 || node === last) {
      root = sha256("\x01", step, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else root = sha256("\x01", root, step);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root.toString("hex") : "";
}

function check({ event, position, path, checkpoint }, publicKey) {
  const { hash, ...hashed } = event;
  if (sha256(canonical(hashed)).toString("hex") !== hash) return "the event has another hash";
  const { signatures, ...signed } = checkpoint;
  const { first, last, root, key } = signed;
  if (!(position >= first && position <= last)) return "the checkpoint does not cover the event";
  const leaf = sha256("\x00", Buffer.from(hash, "hex"));
  if (rootOf(leaf, position - first, last - first + 1, path) !== root)
    return "the event is not among those of the checkpoint";
  const keyId = sha256(publicKey.export({ type: "spki", format: "der" }))
    .toString("hex")
    .slice(0, 32);
  if (keyId !== key) return "another key signed the checkpoint";
  const signature = Buffer.from(signatures[key] ?? "", "base64url");
  return verify(null, canonical(signed), publicKey, signature) ? undefined : "the signature is wrong";
}

const [proofFile, keyFile] = process.argv.slice(2);
const wrong = check(JSON.parse(readFileSync(proofFile, "utf8")), createPublicKey(readFileSync(keyFile)));
console.log(wrong === undefined ? "proved" : `NOT PROVED: ${wrong}`);
process.exitCode = wrong === undefined ? 0 : 1;
