/** A span of a trace that is kept, as it is stored with what goes on from it later. */
export interface TraceMark {
  /** 32 hexadecimal digits. */
  readonly trace_id: string;
  /** 16 hexadecimal digits. */
  readonly span_id: string;
}
