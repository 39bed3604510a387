// Events as text/event-stream writes them (HTML Standard, section 9.2.6).
//
//   ET1. Readers end a line at CR LF, at LF and at CR. Data goes on in a line of its own
//        behind each; an id, a name or a comment that holds one is refused: what follows
//        would be read as fields of their own, or as another event.
//   ET2. Each event ends with its blank line: what is written next begins a new one.

import { FrameworkError } from "#core/errors.js";

/** One event for an `EventSource`. */
export interface ServerEvent<out T = unknown> {
  /** What it is for: the name that a page listens to. Default: "message". */
  readonly event?: string;
  /** Text as it is, of which each line break is read as LF; anything else as JSON. */
  readonly data: T;
  /** What the client sends as Last-Event-ID when it comes back, up to 256 visible ASCII characters. Default: what it had before. */
  readonly id?: string;
  /** How long the client is to wait before it comes back, in milliseconds, from now on. */
  readonly retryMs?: number;
}

/** What is beside the data. */
type EventFields = Omit<ServerEvent, "data">;

const LINE_BREAK = /\r\n|\n|\r/;
// An id comes back in a header (RFC 9110, section 5.5), of which the engine reads bytes above
// ASCII as others and cuts them off at the ends, as everybody does blanks.
const ID = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
const MAX_ID = 256;

/** The event with its data as text already. Throws EVENT_INVALID for what would be read as something else. */
export function eventText({ event, id, retryMs }: EventFields, data: string): string {
  let text = "";
  if (event !== undefined && event !== "") text += `event: ${requireLine("event", event)}\n`;
  if (id !== undefined) text += idLine(id);
  if (retryMs !== undefined) text += retryLine(retryMs);
  if (!LINE_BREAK.test(data)) return `${text}data: ${data}\n\n`;
  for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`;
  return `${text}\n`;
}

/** Data as they stand in an event. Throws EVENT_INVALID for what cannot be written as JSON. */
export function dataText(data: unknown, serialise: (value: unknown) => string): string {
  if (typeof data === "string") return data;
  try {
    return serialise(data);
  } catch (cause) {
    throw invalid("its data cannot be written as JSON: see the cause", cause);
  }
}

/** What a reader skips; says that the connection lives. */
export const commentText = (comment: string): string =>
  `:${comment === "" ? "" : ` ${requireLine("comment", comment)}`}\n\n`;

/** Tells a client how long to wait and where it is, without an event: with no data there is none. */
export const positionText = ({ id, retryMs }: EventFields): string =>
  `${id === undefined ? "" : idLine(id)}${retryMs === undefined ? "" : retryLine(retryMs)}\n`;

/** Throws EVENT_INVALID for an id that no client could send back as it is. */
export function requireId(id: string): string {
  if (typeof id === "string" && id.length <= MAX_ID && ID.test(id)) return id;
  // Not the value: it may be a stranger's.
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
