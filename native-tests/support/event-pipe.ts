import type { EventPipe } from "#http/sse/event-client.js";
import { EventReader } from "#http/testing/test-events.js";

type End = Parameters<NonNullable<EventPipe["onOver"]>>[0];

/** A client in memory that takes what it is given, or leaves it until it is told to go on. */
export class MemoryPipe implements EventPipe {
  readonly reader = new EventReader();
  onWritable: EventPipe["onWritable"] = null;
  onOver: EventPipe["onOver"] = null;
  isOver = false;
  how: End | undefined;
  /** Whether it takes what it is given. */
  takes = true;
  /** Bytes that it was given and has not taken. */
  untaken = 0;
  writes: (Uint8Array | string)[] = [];

  write(piece: Uint8Array | string): boolean {
    if (this.isOver) return false;
    this.writes.push(piece);
    this.reader.read(Buffer.from(piece).toString());
    if (!this.takes) this.untaken += Buffer.byteLength(piece);
    return this.takes;
  }

  /** Takes what it has not. */
  take(): void {
    this.takes = true;
    if (this.untaken === 0 || this.isOver) return;
    this.untaken = 0;
    this.onWritable?.();
  }

  end(): void {
    this.leave("whole");
  }

  fail(): void {
    this.leave("failed");
  }

  leave(how: End = "gone"): void {
    if (this.isOver) return;
    this.isOver = true;
    this.how = how;
    this.onOver?.(how);
  }
}
