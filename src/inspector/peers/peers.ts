// The other processes of a service, as one of them asks them.

import { randomBytes } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type Clock, systemClock } from "#core/clock.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import { OWN_TOPICS } from "#core/ports/room-topics.js";
import { ChunkedResponses, type Piece } from "./chunked-responses.js";
import type { Subject } from "./subject.js";

const TOPIC = `${OWN_TOPICS}inspector`;
const TOLD = `${TOPIC}:`;
const ANSWERED = `${TOPIC}@`;
const WAIT_MS = 500;
/** A quarter of what may wait in a channel, which carries requests' business too. */
const MAX_ANSWER_CHARS = 2_097_152;
const MAX_LOOKS_AT_ONCE = 48;

type Message =
  | {
      readonly kind: "ask";
      readonly id: string;
      /** Who asks. */
      readonly from: string;
      /** Who alone is asked; null: everybody. */
      readonly to: number | null;
      readonly about: string;
      readonly input: unknown;
    }
  | {
      readonly kind: "answer";
      readonly id: string;
      readonly pid: number;
      readonly failed: boolean;
      readonly value: unknown;
    }
  | (Piece & { readonly kind: "piece"; readonly id: string; readonly pid: number })
  | {
      /** The piece that is wanted next. */
      readonly kind: "next";
      readonly id: string;
      readonly from: string;
      readonly to: number;
      readonly n: number;
    };

/** What somebody is told: on a topic of its own, so that who does not hear it does not read it. */
interface Told {
  readonly pid: number;
  readonly input: unknown;
}

/** What one process answered. */
export interface PeerAnswer<T = unknown> {
  readonly pid: number;
  readonly value: T;
}

/** What the others answered. */
export interface PeerAnswers<T = unknown> {
  /** Of those that have something to say. */
  readonly answers: readonly PeerAnswer<T>[];
  /** Processes that were asked and have not answered in time, failed, had too much to say, or said what cannot be read. */
  readonly silent: number;
}

export interface AskOptions {
  /** Default that of the Peers. */
  readonly waitMs?: number;
  /** The one that is asked. Default: all. */
  readonly to?: number;
  /** Waits for no other once one has something to say. */
  readonly first?: boolean;
  /** It is part of what an operator has done, or a worker's own: it always goes out. */
  readonly steers?: boolean;
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
  readonly fits: (said: unknown) => boolean;
  /** Null where one has nothing to say. */
  readonly answers: PeerAnswer[];
  readonly wanted: number;
  readonly first: boolean;
  /** Those that have answered or failed to. */
  heard: number;
  readonly done: () => void;
  /** What has come of long answers, by the ids of their processes. */
  readonly pieces: Map<number, string>;
}

/** A value as JSON. */
interface Text {
  readonly text: string;
  readonly isLong: boolean;
}

type Answer = (input: unknown) => MaybePromise<unknown>;
/** Less of an answer that is too long; undefined where there is no less of it. */
type Shorten = (answer: unknown) => unknown;
type Hear = (input: unknown, pid: number) => void;

export class Peers {
  readonly #bus: RoomBus;
  /** How many others there are, while all of them run. */
  readonly expected: number;
  readonly #clock: Clock;
  readonly #pid: number;
  readonly #waitMs: number;
  readonly #asked = new Map<string, Asked>();
  readonly #answers = new Map<string, { readonly answer: Answer; readonly shorten: Shorten }>();
  readonly #hears = new Map<string, { readonly fits: (said: unknown) => boolean; readonly hear: Hear }>();
  readonly #held: ChunkedResponses;
  /** Of this process, which no other has or had. */
  readonly id = randomBytes(6).toString("hex");
  readonly #leave: () => void;
  #questions = 0;
  /** Questions under way that steer nothing. */
  #looks = 0;
  #isClosed = false;

  constructor({ bus, expected, clock = systemClock, pid = process.pid, waitMs = WAIT_MS }: PeersOptions) {
    this.#bus = bus;
    this.expected = expected;
    this.#clock = clock;
    this.#pid = pid;
    this.#waitMs = waitMs;
    this.#held = new ChunkedResponses(clock);
    const answered = ANSWERED + this.id;
    this.#leave = bus.subscribe({
      message: (topic, message) => {
        if (topic === TOPIC || topic === answered) this.#receive(read<Message>(message));
        else if (topic.startsWith(TOLD)) this.#hear(topic.slice(TOLD.length), message);
      },
      failed: () => {},
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What this process answers to a question of that name: of that subject's shape, or null for nothing. */
  answers(about: string, answer: Answer, shorten: Shorten = () => undefined): void {
    this.#answers.set(about, { answer, shorten });
  }

  /** What this process does with what is told of it. */
  hears<T>({ about, fits }: Subject<T>, hear: (said: T, pid: number) => void): void {
    this.#hears.set(about, { fits, hear: hear as Hear });
  }

  /** Tells all others, and waits for nobody: what does not arrive is lost. */
  tell(about: string, input: unknown): void {
    if (this.expected === 0) return;
    const told: Told = { pid: this.#pid, input };
    this.#bus.publish(TOLD + about, JSON.stringify(told), false);
  }

  /** What the others answer. Never rejects. */
  async askAll<T>(
    subject: Subject<T>,
    input: unknown = null,
    options: AskOptions = {},
  ): Promise<PeerAnswers<T>> {
    const { steers = false } = options;
    if (this.expected === 0) return { answers: [], silent: 0 };
    if (steers) return this.#ask(subject, input, options);
    if (this.#looks >= MAX_LOOKS_AT_ONCE) return { answers: [], silent: this.#wanted(options) };
    this.#looks += 1;
    try {
      return await this.#ask(subject, input, options);
    } finally {
      this.#looks -= 1;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
    this.#held.close();
    for (const { done } of this.#asked.values()) done();
  }

  async #ask<T>({ about, fits }: Subject<T>, input: unknown, options: AskOptions): Promise<PeerAnswers<T>> {
    const { waitMs = this.#waitMs, to = null, first = false } = options;
    const wanted = this.#wanted(options);
    this.#questions += 1;
    const id = `${this.id}-${this.#questions}`;
    const answers: PeerAnswer[] = [];
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(waitMs, resolve);
      const done = (): void => {
        cancel();
        resolve();
      };
      this.#asked.set(id, { fits, answers, wanted, first, heard: 0, done, pieces: new Map() });
      this.#send({ kind: "ask", id, from: this.id, to, about, input });
    });
    this.#asked.delete(id);
    const said = answers.filter(({ value }) => value !== null).sort((a, b) => a.pid - b.pid);
    return { answers: said as PeerAnswer<T>[], silent: Math.max(0, wanted - answers.length) };
  }

  #wanted({ to }: AskOptions): number {
    return to === undefined ? this.expected : 1;
  }

  #receive(message: Message | undefined): void {
    if (message?.kind === "ask") void this.#answer(message);
    else if (message?.kind === "next") this.#sendNext(message);
    else if (message?.kind === "piece") this.#gather(message);
    else if (message?.kind === "answer") this.#take(message.id, message);
  }

  #take(id: string, { pid, value = null, failed }: PeerAnswer & { readonly failed: boolean }): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    const isRead = !failed && (value === null || asked.fits(value));
    asked.heard += 1;
    if (isRead) asked.answers.push({ pid, value });
    if (asked.heard >= asked.wanted || (asked.first && isRead && value !== null)) asked.done();
  }

  /** A question that is over is not asked for more: what is held of its answer is let go of in time. */
  #gather({ id, pid, n, count, text }: Extract<Message, { kind: "piece" }>): void {
    const pieces = this.#asked.get(id)?.pieces;
    if (pieces === undefined || typeof text !== "string") return;
    const all = (n === 0 ? "" : (pieces.get(pid) ?? "")) + text;
    pieces.set(pid, all);
    if (n + 1 < count) {
      this.#send({ kind: "next", id, from: this.id, to: pid, n: n + 1 });
      return;
    }
    pieces.delete(pid);
    const value = read<unknown>(all);
    this.#take(id, { pid, value, failed: value === undefined });
  }

  #sendNext({ id, from, to, n }: Extract<Message, { kind: "next" }>): void {
    if (to === this.#pid) this.#sendPiece(from, id, this.#held.piece(id, n));
  }

  #hear(about: string, message: string | Uint8Array): void {
    const known = this.#hears.get(about);
    if (known === undefined) return;
    try {
      const told = read<Told>(message);
      if (told !== undefined && known.fits(told.input)) known.hear(told.input, told.pid);
    } catch {
      // PE3.
    }
  }

  async #answer({ id, from, to, about, input }: Extract<Message, { kind: "ask" }>): Promise<void> {
    if (typeof to === "number" && to !== this.#pid) return;
    const value = await this.#valueOf(about, input);
    if (value?.isLong === true) {
      this.#sendPiece(from, id, this.#held.hold(id, value.text));
      return;
    }
    // As text, which it was measured as: a second time would cost as much as the first.
    const head = JSON.stringify({ kind: "answer", id, pid: this.#pid, failed: value === undefined });
    this.#reply(from, `${head.slice(0, -1)},"value":${value?.text ?? "null"}}`);
  }

  /** Without one it has failed to answer. */
  #sendPiece(from: string, id: string, piece: Piece | undefined): void {
    const pid = this.#pid;
    const message: Message =
      piece === undefined
        ? { kind: "answer", id, pid, failed: true, value: null }
        : { kind: "piece", id, pid, ...piece };
    this.#reply(from, JSON.stringify(message));
  }

  #reply(to: string, message: string): void {
    this.#bus.publish(ANSWERED + to, message, false);
  }

  /** A process that fails to answer says so at once: undefined. */
  async #valueOf(about: string, input: unknown): Promise<Text | undefined> {
    try {
      const known = this.#answers.get(about);
      if (known === undefined) return undefined;
      let value: unknown = (await known.answer(input)) ?? null;
      for (;;) {
        const text = JSON.stringify(value);
        if (text.length <= MAX_ANSWER_CHARS) return { text, isLong: false };
        value = known.shorten(value);
        if (value === undefined) return { text, isLong: true };
      }
    } catch {
      // PE3.
    }
    return undefined;
  }

  #send(message: Message): void {
    this.#bus.publish(TOPIC, JSON.stringify(message), false);
  }
}

function read<T>(message: string | Uint8Array): T | undefined {
  try {
    return JSON.parse(typeof message === "string" ? message : Buffer.from(message).toString()) as T;
  } catch {
    return undefined;
  }
}
