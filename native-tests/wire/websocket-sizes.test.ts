// Autobahn's groups 9 and 10: large messages, many messages, many fragments, many pieces. Its
// largest are 16 MiB; here they end at 4 MiB, and at 16 for one of each kind.

import { describe } from "node:test";

import { served } from "../support/served.js";
import { binary, type FrameCase, testFrames, text } from "../support/websocket-cases.js";
import { BINARY, CONTINUATION, frame, TEXT } from "../support/websocket-frames.js";
import { ingress } from "../support/websocket-ingress.js";

const server = served(ingress);
const address = () => server.address;

const KIB = 1024;
const MIB = 1024 * KIB;
const shown = (size: number) =>
  size >= MIB ? `${size / MIB} MiB` : size >= KIB ? `${size / KIB} KiB` : `${size} bytes`;

interface Kind {
  readonly opcode: typeof TEXT | typeof BINARY;
  readonly name: string;
  readonly payload: (size: number) => Buffer;
  readonly back: typeof text | typeof binary;
}

/** Not all of one byte: pieces in a wrong order would not show. */
const pattern = Buffer.from(Array.from({ length: 997 }, (_, i) => 32 + ((i * 7) % 90)));
const kinds: readonly Kind[] = [
  { opcode: TEXT, name: "a text", payload: (size) => Buffer.alloc(size, pattern), back: text },
  {
    opcode: BINARY,
    name: "bytes",
    payload: (size) =>
      Buffer.alloc(
        size,
        pattern.map((byte) => byte | 0x80),
      ),
    back: binary,
  },
];

const inFragments = ({ opcode }: Kind, payload: Buffer, bytes: number): Buffer[] =>
  Array.from({ length: Math.ceil(payload.length / bytes) }, (_, i) =>
    frame(i === 0 ? opcode : CONTINUATION, payload.subarray(i * bytes, (i + 1) * bytes), {
      fin: (i + 1) * bytes >= payload.length,
    }),
  );

for (const [of, kind] of kinds.entries()) {
  const { opcode, name, payload, back } = kind;
  const whole = (size: number): Pick<FrameCase, "sent" | "comes"> => ({
    sent: [frame(opcode, payload(size))],
    comes: [back(payload(size))],
  });

  describe(`${name} of any allowed size comes back (9.${of + 1})`, () => {
    const sizes = [64 * KIB, 256 * KIB, MIB, 4 * MIB, 8 * MIB, 16 * MIB];
    testFrames(
      address,
      sizes.flatMap((size, i) =>
        size === 8 * MIB ? [] : [{ name: `9.${of + 1}.${i + 1} ${shown(size)}`, ...whole(size) }],
      ),
    );
  });

  describe(`${name} of 4 MiB comes back from fragments of any size (9.${of + 3})`, () => {
    const sizes = [64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB];
    testFrames(
      address,
      sizes.map((size, i) => ({
        name: `9.${of + 3}.${i + 1} of ${shown(size)}`,
        sent: inFragments(kind, payload(4 * MIB), size),
        comes: [back(payload(4 * MIB))],
      })),
    );
  });

  describe(`${name} of 1 MiB comes back from pieces of any size (9.${of + 5})`, () => {
    testFrames(
      address,
      [64, 128, 256, 512, 1024, 2048].map((pieceBytes, i) => ({
        name: `9.${of + 5}.${i + 1} of ${pieceBytes}`,
        ...whole(MIB),
        pieceBytes,
      })),
    );
  });

  describe(`a thousand messages, ${name} each, come back in their order (9.${of + 7})`, () => {
    testFrames(
      address,
      [0, 16, 64, 256, 1024, 4096].map((size, i): FrameCase => {
        const payloads = Array.from({ length: 1000 }, (_, n) => payload(size + (n % 3)));
        return {
          name: `9.${of + 7}.${i + 1} of ${size} bytes`,
          sent: payloads.map((each) => frame(opcode, each)),
          comes: payloads.map(back),
        };
      }),
    );
  });
}

describe("a message that is cut by whoever carries it comes back whole (10)", () => {
  const [kind] = kinds as [Kind];
  testFrames(address, [
    {
      name: "10.1.1 64 KiB in fragments of 1300",
      sent: inFragments(kind, kind.payload(64 * KIB), 1300),
      pieceBytes: "frame",
      comes: [text(kind.payload(64 * KIB))],
    },
  ]);
});
