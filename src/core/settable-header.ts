// Which headers of an answer a program may say.

import { FrameworkError } from "./errors.js";
import { assertHeaderName } from "./header-syntax.js";

/** Written by the ingress or the engine; a second one would contradict the first. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ["connection", "the ingress ends connections itself"],
  ["content-length", "it follows from the body"],
  ["date", "the engine writes it"],
  ["keep-alive", "the ingress ends connections itself"],
  ["trailer", "answers have no trailers"],
  ["transfer-encoding", "it follows from the body"],
  ["upgrade", "an answer is the end of its request"],
  ["x-request-id", "call requestIdLayer()"],
]);

/** Beside these, of a guard: what goes with every answer knows nothing of its body. */
const OF_A_BODY: ReadonlyMap<string, string> = new Map([
  ["content-encoding", "it follows from the body"],
  ["content-type", "it follows from the body"],
]);

/** The name in lower case. Throws HEADER_INVALID for what is no name, or not for a step or a guard to set. */
export function settableHeader(given: string, by: "step" | "guard"): string {
  assertHeaderName(given);
  const name = given.toLowerCase();
  const why = RESERVED.get(name) ?? (by === "guard" ? OF_A_BODY.get(name) : undefined);
  if (why === undefined) return name;
  throw new FrameworkError("HEADER_INVALID", `Header '${name}' is not for a ${by} to set: ${why}`);
}
