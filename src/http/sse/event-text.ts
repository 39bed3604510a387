// Writes events as text/event-stream (HTML Standard, section 9.2.6). Readers end a line at CR LF, LF or
// CR. Multi-line data are written as several data lines. Other fields must not hold a line break: a
// reader would parse the rest as another field or event.

import type { TSchema } from "@sinclair/typebox";
import { FrameworkError } from "#core/errors.js";
import { mode } from "#core/mode.js";
import type { OutputCheck } from "#runtime/definition/axon-definition.js";
import { compileSerialiser, type Serialise } from "#schema/compile/serialiser.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";
import { anyJson } from "#schema/tree/json-value.js";
import { requireOneOf } from "../plan/limit-options.js";
import { requireInteger } from "../refusal/option-checks.js";

/** One event for an `EventSource`. */
export interface ServerEvent<out T = unknown> {
  /** The event name that a page listens to. Default "message". */
  readonly event?: string;
  /** Text is sent verbatim, with line breaks read as LF; other data are sent as JSON. */
  readonly data: T;
  /** The Last-Event-ID of a reconnection: up to 256 visible ASCII characters. Default: the previous one. */
  readonly id?: string;
  /** Sets the client's delay before reconnections, in milliseconds. */
  readonly retryMs?: number;
}

type EventFields = Omit<ServerEvent, "data">;

const LINE_BREAK = /\r\n|\n|\r/;
// The id is sent back in a header (RFC 9110, section 5.5), where bytes above ASCII and blanks at the
// ends are lost.
const ID = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
const MAX_ID = 256;

/** Throws EVENT_INVALID for fields that clients would misread. */
export function eventText({ event, id, retryMs }: EventFields, data: string): string {
  let text = "";
  if (event !== undefined && event !== "") text += `event: ${requireLine("event", event)}\n`;
  if (id !== undefined) text += idLine(id);
  if (retryMs !== undefined) text += retryLine(retryMs);
  if (!LINE_BREAK.test(data)) return `${text}data: ${data}\n\n`;
  for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`;
  return `${text}\n`;
}

/** Throws EVENT_INVALID for data that cannot be written as JSON. */
function dataText(data: unknown, serialise: (value: unknown) => string): string {
  if (typeof data === "string") return data;
  try {
    return serialise(data);
  } catch (cause) {
    throw invalid("its data cannot be written as JSON: see the cause", cause);
  }
}

/** A comment, which readers ignore. */
export const commentText = (comment: string): string =>
  `:${comment === "" ? "" : ` ${requireLine("comment", comment)}`}\n\n`;

/** Sets retry time and position without an event, because it has no data. */
export const positionText = ({ id, retryMs }: EventFields): string =>
  `${id === undefined ? "" : idLine(id)}${retryMs === undefined ? "" : retryLine(retryMs)}\n`;

/** Throws EVENT_INVALID for an id that no client could send back. */
export function requireId(id: string): string {
  if (typeof id === "string" && id.length <= MAX_ID && ID.test(id)) return id;
  // The value may be a secret.
  throw invalid(
    `its id is no text of at most ${MAX_ID} visible ASCII characters: that is what a client can send back`,
  );
}

const idLine = (id: string): string => `id: ${requireId(id)}\n`;

function retryLine(retryMs: number): string {
  if (Number.isSafeInteger(retryMs) && retryMs >= 0) return `retry: ${retryMs}\n`;
  throw invalid(`retryMs is ${String(retryMs)}: give whole milliseconds, 0 or more`);
}

function requireLine(name: string, value: string): string {
  if (typeof value !== "string") throw invalid(`its ${name} is of type ${typeof value}: give a text`);
  if (!LINE_BREAK.test(value)) return value;
  throw invalid(`its ${name} holds a line break: leave that out`);
}

export const invalid = (what: string, cause?: unknown): FrameworkError =>
  new FrameworkError("EVENT_INVALID", `An event cannot be sent: ${what}`, { cause });

export interface EventWriterOptions<T> {
  /** The schema of `data`, which also serialises it. */
  readonly schema?: TSchema & { readonly static: T };
  /** Validation of data against the schema: "validate" or "pass". Default: "pass" in production, else "validate". */
  readonly check?: OutputCheck;
  /** Largest event as text, in bytes. Default 65 536. */
  readonly maxEventBytes?: number;
}

export const WRITER_OPTIONS = "schema check maxEventBytes";

export class EventWriter {
  readonly maxBytes: number;
  readonly #schema: Validator | undefined;
  readonly #serialise: Serialise;

  /** `owner` is for messages. Throws CONFIG_INVALID, SCHEMA_INVALID, SCHEMA_UNSUPPORTED. */
  constructor(owner: string, { schema, check, maxEventBytes = 65_536 }: EventWriterOptions<unknown>) {
    const checks = requireOneOf(`check of ${owner}`, check ?? (mode.production ? "pass" : "validate"), [
      "validate",
      "pass",
    ]);
    const ownedBy = `${owner}, schema`;
    this.maxBytes = requireInteger(`maxEventBytes of ${owner}`, maxEventBytes, 64, 16_777_216);
    this.#serialise = schema === undefined ? anyJson : compileSerialiser(schema, { owner: ownedBy });
    this.#schema =
      schema === undefined || checks === "pass"
        ? undefined
        : compileSchema(schema, { owner: ownedBy, origin: "program" });
  }

  /** Throws EVENT_INVALID. The message shows no value. */
  text(event: ServerEvent): string {
    const { data } = event;
    if (this.#schema !== undefined && !this.#schema.check(data)) {
      const [first] = this.#schema.errors(data);
      throw invalid(`its data are against the schema at '${first?.pointer}': expected ${first?.expected}`);
    }
    const text = eventText(event, dataText(data, this.#serialise));
    // A UTF-16 unit has at most three bytes, and most events are far below the limit.
    if (text.length * 3 > this.maxBytes && Buffer.byteLength(text) > this.maxBytes)
      throw invalid(`it is longer than the ${this.maxBytes} bytes that maxEventBytes allows`);
    return text;
  }
}
