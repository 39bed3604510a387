import { createHash } from "node:crypto";

/** The namespace of audit events: a random UUID that must never change. */
const NAMESPACE = Buffer.from("6558dea6117123fb856665cdc3e64504", "hex");

/** The UUID of a name, version 5 of RFC 9562: the same for the same name. */
export function uuidOf(name: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
