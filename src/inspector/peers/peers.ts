// The other processes of a service, as one of them asks them.
//
//   PE1. Nothing is sent while nobody asks: who is asked answers once.
//   PE2. A question waits `waitMs` at most. Who has not answered by then is left out, and
//        who begins later is asked the next time.
//   PE3. What a peer answers is JSON of this program's own making, over a channel that only
//        its processes have; still nothing that arrives throws.

import { randomBytes } from "node:crypto";

import { type Clock, systemClock } from "#core/clock.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { RoomBus } from "#core/room-bus.js";
import { OWN_TOPICS } from "#core/room-topics.js";

const TOPIC = `${OWN_TOPICS}inspector`;
const WAIT_MS = 500;
/** An answer that is longer is none: a channel carries requests' business too. */
const MAX_ANSWER_CHARS = 8_388_608;
const MAX_ASKED_AT_ONCE = 64;

type Message =
  | { readonly kind: "ask"; readonly id: string; readonly about: string; readonly input: unknown }
  | { readonly kind: "answer"; readonly id: string; readonly pid: number; readonly value: unknown };

/** What one process answered. */
export interface PeerAnswer {
  readonly pid: number;
  /** Null where it has nothing to say. */
  readonly value: unknown;
}

export interface PeersOptions {
  readonly bus: RoomBus;
  /** How many other processes there are, while all of them run. */
  readonly expected: number;
  readonly clock?: Clock;
  readonly pid?: number;
  /** Default 500. */
  readonly waitMs?: number;
}

/** Who waits for the answers to one question. */
interface Asked {
  readonly answers: PeerAnswer[];
  readonly done: () => void;
}

type Answer = (input: unknown) => MaybePromise<unknown>;

export class Peers {
  readonly #bus: RoomBus;
  /** How many others there are, while all of them run. */
  readonly expected: number;
  readonly #clock: Clock;
  readonly #pid: number;
  readonly #waitMs: number;
  readonly #asked = new Map<string, Asked>();
  readonly #answers = new Map<string, Answer>();
  readonly #own = randomBytes(6).toString("hex");
  readonly #leave: () => void;
  #questions = 0;

  constructor({ bus, expected, clock = systemClock, pid = process.pid, waitMs = WAIT_MS }: PeersOptions) {
    this.#bus = bus;
    this.expected = expected;
    this.#clock = clock;
    this.#pid = pid;
    this.#waitMs = waitMs;
    this.#leave = bus.subscribe({
      message: (topic, message) => {
        if (topic === TOPIC) this.#receive(read(message));
      },
      failed: () => {},
    });
  }

  /** What this process answers to a question of that name. */
  answers(about: string, answer: Answer): void {
    this.#answers.set(about, answer);
  }

  /** What the others answer, those that have something to say. Never rejects. */
  async ask(about: string, input: unknown = null): Promise<readonly PeerAnswer[]> {
    if (this.expected === 0 || this.#asked.size >= MAX_ASKED_AT_ONCE) return [];
    this.#questions += 1;
    const id = `${this.#own}-${this.#questions}`;
    const answers: PeerAnswer[] = [];
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(this.#waitMs, resolve);
      const done = (): void => {
        cancel();
        resolve();
      };
      this.#asked.set(id, { answers, done });
      this.#send({ kind: "ask", id, about, input });
    });
    this.#asked.delete(id);
    return answers.filter(({ value }) => value !== null).sort((a, b) => a.pid - b.pid);
  }

  close(): void {
    this.#leave();
    for (const { done } of this.#asked.values()) done();
  }

  #receive(message: Message | undefined): void {
    if (message?.kind === "ask") void this.#answer(message);
    if (message?.kind !== "answer") return;
    const asked = this.#asked.get(message.id);
    if (asked === undefined) return;
    asked.answers.push({ pid: message.pid, value: message.value });
    if (asked.answers.length >= this.expected) asked.done();
  }

  async #answer({ id, about, input }: Extract<Message, { kind: "ask" }>): Promise<void> {
    const value = await this.#valueOf(about, input);
    this.#send({ kind: "answer", id, pid: this.#pid, value });
  }

  /** A process that fails to answer says so at once, with nothing. */
  async #valueOf(about: string, input: unknown): Promise<unknown> {
    try {
      const value = (await this.#answers.get(about)?.(input)) ?? null;
      return JSON.stringify(value).length > MAX_ANSWER_CHARS ? null : value;
    } catch {
      return null;
    }
  }

  #send(message: Message): void {
    this.#bus.publish(TOPIC, JSON.stringify(message), false);
  }
}

function read(message: string | Uint8Array): Message | undefined {
  try {
    return JSON.parse(typeof message === "string" ? message : Buffer.from(message).toString()) as Message;
  } catch {
    return undefined;
  }
}
