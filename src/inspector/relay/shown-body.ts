import { isUtf8 } from "node:buffer";

export interface ShownBody {
  /** What `body` is. */
  readonly encoding: "json" | "text" | "base64" | "none";
  readonly body: unknown;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;
const TEXT_TYPE =
  /^(?:text\/|application\/(?:xml|javascript|x-www-form-urlencoded)\b|[\w.-]+\/[\w.-]+\+xml\b)/i;

/** A body as JSON can hold it: as the data that it is, as text, or its bytes. */
export function shownBody(bytes: Uint8Array, type: string): ShownBody {
  if (bytes.length === 0) return { encoding: "none", body: null };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(buffer)) return { encoding: "base64", body: buffer.toString("base64") };
  if (JSON_TYPE.test(type)) {
    try {
      return { encoding: "json", body: JSON.parse(buffer.toString("utf8")) };
    } catch {
      return { encoding: "text", body: buffer.toString("utf8") };
    }
  }
  return TEXT_TYPE.test(type) || type === ""
    ? { encoding: "text", body: buffer.toString("utf8") }
    : { encoding: "base64", body: buffer.toString("base64") };
}
