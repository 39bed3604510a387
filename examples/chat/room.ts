// One room: who is in it, and what was said last.

import { type Static, Type } from "framework";

export const Said = Type.Object({
  kind: Type.Literal("said"),
  from: Type.String(),
  text: Type.String(),
  /** Milliseconds since 1970. */
  at: Type.Integer(),
});
export type Said = Static<typeof Said>;

const REMEMBERED = 50;

export class Room {
  readonly name: string;
  readonly #people = new Map<string, string>();
  #said: readonly Said[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** In the order in which they came. */
  get people(): readonly string[] {
    return [...this.#people.values()];
  }

  /** What was said last, the oldest first. */
  get said(): readonly Said[] {
    return this.#said;
  }

  /** False where somebody of that name, in whatever case, is there already. */
  enter(name: string): boolean {
    const key = name.toLowerCase();
    if (this.#people.has(key)) return false;
    this.#people.set(key, name);
    return true;
  }

  leave(name: string): void {
    this.#people.delete(name.toLowerCase());
  }

  remember(said: Said): void {
    this.#said = [...this.#said, said].slice(-REMEMBERED);
  }
}
