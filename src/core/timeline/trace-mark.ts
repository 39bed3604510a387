/** A span of a kept trace, stored with the work that continues it later. */
export interface TraceMark {
  /** 32 hexadecimal digits. */
  readonly trace_id: string;
  /** 16 hexadecimal digits. */
  readonly span_id: string;
}

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/** Values from a store can be of any type. */
export function isTraceMark(stored: unknown): stored is TraceMark {
  const { trace_id, span_id } = (stored ?? {}) as Partial<TraceMark>;
  return isId(trace_id, TRACE_ID) && isId(span_id, SPAN_ID);
}

const isId = (text: unknown, pattern: RegExp): boolean => typeof text === "string" && pattern.test(text);
