// Frames of RFC 6455, section 5, as bytes: written as one is told, legal or not, and read
// by the letter. Of no library, so that no library's leniency hides a mistake.

import { isUtf8 } from "node:buffer";

export const CONTINUATION = 0x0;
export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

/** The first reserved bit: of a message's first frame, that it is compressed (RFC 7692, section 6). */
export const RSV1 = 4;

export interface FrameOptions {
  /** Whether it ends its message. Default true. */
  readonly fin?: boolean;
  /** The three reserved bits as a number: RSV1 is 4. Default 0. */
  readonly rsv?: number;
  /** Four bytes, or none where false: what a client must not do. Default four bytes that are not 0. */
  readonly mask?: Uint8Array | false;
  /** Bytes of the length that stand behind the first one: more than needed is what nobody may do. */
  readonly lengthBytes?: 0 | 2 | 8;
  /** A length that is told in the payload's place. */
  readonly told?: number | bigint;
}

const NEVER_SENT = [1004, 1005, 1006, 1015];

const MASK = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);

/** A frame of a client. */
export function frame(opcode: number, payload: string | Uint8Array = "", options: FrameOptions = {}): Buffer {
  const { fin = true, rsv = 0, mask = MASK } = options;
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  const told = BigInt(options.told ?? bytes.length);
  const { lengthBytes = told < 126n ? 0 : told < 65_536n ? 2 : 8 } = options;
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  head[1] = (mask === false ? 0 : 0x80) | (lengthBytes === 0 ? Number(told) : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) head.writeUInt16BE(Number(told), 2);
  if (lengthBytes === 8) head.writeBigUInt64BE(told, 2);
  return mask === false ? Buffer.concat([head, bytes]) : Buffer.concat([head, mask, masked(bytes, mask)]);
}

/** The payload of a close frame. */
export function closePayload(code: number, reason: string | Uint8Array = ""): Buffer {
  const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(reason as Uint8Array)]);
  payload.writeUInt16BE(code, 0);
  return payload;
}

function masked(bytes: Uint8Array, mask: Uint8Array): Buffer {
  const result = Buffer.from(bytes);
  for (let i = 0; i < result.length; i += 1) result[i] = (result[i] as number) ^ (mask[i & 3] as number);
  return result;
}

export interface ReadFrame {
  readonly fin: boolean;
  readonly rsv: number;
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface ReadMessage {
  readonly binary: boolean;
  /** Whether RSV1 said that it is compressed: the payload is as it came. */
  readonly compressed: boolean;
  readonly payload: Buffer;
}

/** What a reader tells of, in the order in which it came. */
export type Read =
  | { readonly kind: "message"; readonly message: ReadMessage }
  | { readonly kind: "ping" | "pong"; readonly payload: Buffer }
  | { readonly kind: "close"; readonly code: number | undefined; readonly reason: string }
  /** Something that no server may send. Nothing is read behind it. */
  | { readonly kind: "violation"; readonly what: string };

/** Reads what a server sends. `compresses`: whether compression was negotiated. */
export class FrameReader {
  readonly frames: ReadFrame[] = [];
  readonly #compresses: boolean;
  readonly #tell: (read: Read) => void;
  // Pieces of a frame that is not whole: put together once, when it is.
  #pieces: Buffer[] = [];
  #length = 0;
  #needed = 2;
  #fragments: ReadFrame[] = [];
  #isOver = false;

  constructor(compresses: boolean, tell: (read: Read) => void) {
    this.#compresses = compresses;
    this.#tell = tell;
  }

  /** Whether it stands between two frames. */
  get isBetweenFrames(): boolean {
    return this.#length === 0;
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#isOver) {
      this.#refuse("bytes behind the close frame");
      return;
    }
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    while (this.#length >= this.#needed && !this.#isOver) {
      const all = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
      const taken = this.#take(all);
      const rest = all.subarray(taken);
      this.#pieces = rest.length === 0 ? [] : [rest];
      this.#length = rest.length;
      if (taken > 0) this.#needed = 2;
    }
    if (this.#isOver && this.#length > 0) this.#refuse("bytes behind the close frame");
  }

  /** Reads one frame; answers its length, or 0 and how much it needs. */
  #take(all: Buffer): number {
    const [first, second] = [all[0] as number, all[1] as number];
    const short = second & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (all.length < head) return this.#need(head);
    const length = short < 126 ? short : short === 126 ? all.readUInt16BE(2) : Number(all.readBigUInt64BE(2));
    if ((head === 4 && length < 126) || (head === 10 && length < 65_536))
      this.#refuse(`a length of ${length} in ${head - 2} bytes`);
    if ((second & 0x80) !== 0) this.#refuse("a masked frame");
    if (this.#isOver || all.length < head + length) return this.#need(head + length);
    const payload = all.subarray(head, head + length);
    this.#read({ fin: (first & 0x80) !== 0, rsv: (first >> 4) & 7, opcode: first & 0xf, payload });
    return head + length;
  }

  #need(length: number): 0 {
    this.#needed = length;
    return 0;
  }

  #read(frame: ReadFrame): void {
    this.frames.push(frame);
    const wrong = this.#wrongHead(frame);
    if (wrong !== undefined) this.#refuse(wrong);
    else if (frame.opcode === CLOSE) this.#close(frame.payload);
    else if (frame.opcode === PING) this.#tell({ kind: "ping", payload: frame.payload });
    else if (frame.opcode === PONG) this.#tell({ kind: "pong", payload: frame.payload });
    else this.#addFragment(frame);
  }

  #wrongHead({ fin, rsv, opcode, payload }: ReadFrame): string | undefined {
    const mayCompress = this.#compresses && (opcode === TEXT || opcode === BINARY);
    if (rsv !== 0 && !(mayCompress && rsv === RSV1)) return `reserved bits ${rsv}`;
    if ([CLOSE, PING, PONG].includes(opcode))
      return fin && payload.length <= 125 ? undefined : `a control frame of ${payload.length}, fin ${fin}`;
    if (![CONTINUATION, TEXT, BINARY].includes(opcode)) return `the opcode ${opcode}`;
    const continues = this.#fragments.length > 0;
    if ((opcode === CONTINUATION) !== continues) return `the opcode ${opcode}, fragments open: ${continues}`;
    return undefined;
  }

  #addFragment(frame: ReadFrame): void {
    this.#fragments.push(frame);
    if (!frame.fin) return;
    const [first] = this.#fragments as [ReadFrame];
    const payload = Buffer.concat(this.#fragments.map((each) => each.payload));
    this.#fragments = [];
    const binary = first.opcode === BINARY;
    const compressed = first.rsv === RSV1;
    if (!binary && !compressed && !isUtf8(payload)) this.#refuse("a text that is not UTF-8");
    else this.#tell({ kind: "message", message: { binary, compressed, payload } });
  }

  #close(payload: Buffer): void {
    const code = payload.length < 2 ? undefined : payload.readUInt16BE(0);
    // Section 7.4.1: these are never on the wire.
    const isWrong = code !== undefined && (code < 1000 || code > 4999 || NEVER_SENT.includes(code));
    if (isWrong || payload.length === 1 || !isUtf8(payload.subarray(2)))
      this.#refuse(`a malformed close frame of ${payload.length} bytes, code ${code}`);
    else {
      this.#isOver = true;
      this.#tell({ kind: "close", code, reason: payload.subarray(2).toString() });
    }
  }

  #refuse(what: string): void {
    this.#isOver = true;
    this.#length = 0;
    this.#pieces = [];
    this.#tell({ kind: "violation", what });
  }
}
