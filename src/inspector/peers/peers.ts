// Requests and messages between the processes of one service. A process that does not respond in
// time is left out and counted as silent. A long response is shortened or fetched in pieces
// (chunked-responses.ts).

import { randomBytes } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type Clock, systemClock } from "#core/clock.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import { OWN_TOPICS } from "#core/ports/room-listeners.js";
import { ChunkedResponses, type Piece } from "./chunked-responses.js";
import type { Subject } from "./subject.js";

const TOPIC = `${OWN_TOPICS}inspector`;
const TOLD = `${TOPIC}:`;
const ANSWERED = `${TOPIC}@`;
const WAIT_MS = 500;
/** A quarter of what a channel may queue: it carries the messages of requests too. */
const MAX_ANSWER_CHARS = 2_097_152;
const MAX_LOOKS_AT_ONCE = 48;

type Message =
  | {
      readonly kind: "ask";
      readonly id: string;
      /** The id of the asking process. */
      readonly from: string;
      /** The pid of the only process that responds; null: all respond. */
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
      /** Requests the next piece of a long response. */
      readonly kind: "next";
      readonly id: string;
      readonly from: string;
      readonly to: number;
      readonly n: number;
    };

/**
 * A message without a response. Each subject has its own topic, so that a process reads only the
 * subjects it listens to.
 */
interface Told {
  readonly pid: number;
  readonly input: unknown;
}

/** The response of one process. */
export interface PeerAnswer<T = unknown> {
  readonly pid: number;
  readonly value: T;
}

/** The responses of the other processes. */
export interface PeerAnswers<T = unknown> {
  /** Responses other than null. */
  readonly answers: readonly PeerAnswer<T>[];
  /**
   * Number of asked processes that were late, failed, had too long a response, or sent one that
   * this build cannot read.
   */
  readonly silent: number;
}

export interface AskOptions {
  /** Default: the `waitMs` of the Peers. */
  readonly waitMs?: number;
  /** The pid of the one process that is asked. Default: all. */
  readonly to?: number;
  /** True to resolve at the first response other than null. */
  readonly first?: boolean;
  /** True for an operator's action or the worker's own work: it is sent regardless of MAX_LOOKS_AT_ONCE. */
  readonly steers?: boolean;
}

export interface PeersOptions {
  readonly bus: RoomBus;
  /** Number of other processes when all of them run. */
  readonly expected: number;
  readonly clock?: Clock;
  readonly pid?: number;
  /** Default 500. */
  readonly waitMs?: number;
}

/** A question in flight. */
interface Asked {
  readonly fits: (said: unknown) => boolean;
  /** A null response is left out. */
  readonly answers: PeerAnswer[];
  readonly wanted: number;
  readonly first: boolean;
  /** Number of processes that have responded or failed. */
  heard: number;
  readonly done: () => void;
  /** The pieces of long responses received so far, by pid. */
  readonly pieces: Map<number, string>;
}

/** A value as JSON. */
interface Text {
  readonly text: string;
  readonly isLong: boolean;
}

type Answer = (input: unknown) => MaybePromise<unknown>;
/** Shortens a response that is too long; undefined if it cannot be shortened further. */
type Shorten = (answer: unknown) => unknown;
type Hear = (input: unknown, pid: number) => void;

export class Peers {
  readonly #bus: RoomBus;
  /** Number of other processes when all of them run. */
  readonly expected: number;
  readonly #clock: Clock;
  readonly #pid: number;
  readonly #waitMs: number;
  readonly #asked = new Map<string, Asked>();
  readonly #answers = new Map<string, { readonly answer: Answer; readonly shorten: Shorten }>();
  readonly #hears = new Map<string, { readonly fits: (said: unknown) => boolean; readonly hear: Hear }>();
  readonly #held: ChunkedResponses;
  /** Unique to this process. */
  readonly id = randomBytes(6).toString("hex");
  readonly #leave: () => void;
  #questions = 0;
  /** Questions in flight that change nothing. */
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

  /** Registers the response to questions about a subject: a value of that subject's shape, or null. */
  answers<In = unknown, Out = unknown>(
    about: string,
    answer: (input: In) => MaybePromise<unknown>,
    shorten: (answer: Out) => Out | undefined = () => undefined,
  ): void {
    this.#answers.set(about, { answer: answer as Answer, shorten: shorten as Shorten });
  }

  /** Registers a listener for the messages of a subject. */
  hears<T>({ about, fits }: Subject<T>, hear: (said: T, pid: number) => void): void {
    this.#hears.set(about, { fits, hear: hear as Hear });
  }

  /** Sends a message to all other processes without waiting. A lost message is not repeated. */
  tell(about: string, input: unknown): void {
    if (this.expected === 0) return;
    const told: Told = { pid: this.#pid, input };
    this.#bus.publish(TOLD + about, JSON.stringify(told), false);
  }

  /** Resolves to the responses of the other processes. Never rejects. */
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

  /** Pieces for a settled question are ignored; the sender's copy expires. */
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
      // A malformed message, such as one of another build, is ignored.
    }
  }

  async #answer({ id, from, to, about, input }: Extract<Message, { kind: "ask" }>): Promise<void> {
    if (typeof to === "number" && to !== this.#pid) return;
    const value = await this.#valueOf(about, input);
    if (value?.isLong === true) {
      this.#sendPiece(from, id, this.#held.hold(id, value.text));
      return;
    }
    // Sent as the text that was measured: a second JSON.stringify would cost as much as the first.
    const head = JSON.stringify({ kind: "answer", id, pid: this.#pid, failed: value === undefined });
    this.#reply(from, `${head.slice(0, -1)},"value":${value?.text ?? "null"}}`);
  }

  /** Without a piece the response counts as failed. */
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

  /** Undefined if the response failed: the asking process is told at once. */
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
      // The asking process counts it as failed.
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
