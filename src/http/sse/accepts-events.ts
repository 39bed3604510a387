// Accept (RFC 9110, section 12.5.1), as far as one type is concerned.

const RANGE = /^[ \t]*(text\/event-stream|text\/\*|\*\/\*)[ \t]*(?:;(.*))?$/i;
const REFUSED = /(?:^|;)[ \t]*q=0(?:\.0{0,3})?[ \t]*(?:;|$)/i;

/** The more exact one decides. */
const RANGES = ["text/event-stream", "text/*", "*/*"];

/** Whether who sent this takes text/event-stream; undefined is no header, and takes all. */
export function acceptsEvents(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === "") return true;
  const taken = new Map<string, boolean>();
  for (const element of accept.split(",")) {
    const [, range, parameters = ""] = RANGE.exec(element) ?? [];
    if (range !== undefined) taken.set(range.toLowerCase(), !REFUSED.test(parameters));
  }
  const exact = RANGES.find((range) => taken.has(range));
  return exact !== undefined && taken.get(exact) === true;
}
