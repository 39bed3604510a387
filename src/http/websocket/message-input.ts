// Reads a message as a run's input.

import { isAscii } from "node:buffer";
import type { TSchema } from "@sinclair/typebox";

import { compileSchema } from "#schema/validator.js";
import { parseJson } from "../json-body.js";
import { Refusal } from "../refusal.js";

/** The input, or why the message is refused. The memory of `data` is the engine's. */
export type MessageReader = (data: Buffer, isBinary: boolean) => unknown;

/** From here on it is cheaper to look whether a text is ASCII than to decode it as if it were not. */
const LOOKED_AT_FROM_BYTES = 4096;

/** Text and bytes as they come. The engine has checked that text is UTF-8. */
const readPlain: MessageReader = (data, isBinary) => {
  if (isBinary) return new Uint8Array(data);
  return data.toString(data.length >= LOOKED_AT_FROM_BYTES && isAscii(data) ? "latin1" : "utf8");
};

/** With a schema a message is JSON, whatever its frame says. Throws SCHEMA_INVALID. */
export function messageReader(schema: TSchema | undefined, owner: string): MessageReader {
  if (schema === undefined) return readPlain;
  const { check, errors } = compileSchema(schema, { owner: `${owner}, messages`, origin: "json" });
  return (data) => {
    const value = parseJson(data);
    return check(value) || value instanceof Refusal
      ? value
      : new Refusal("INPUT_INVALID", { errors: errors(value) });
  };
}
