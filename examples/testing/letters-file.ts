// Dead letters in one file, for a program that has few of them: each call reads the whole file.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from "framework/core";

export class LettersFile implements DeadLetterStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  readonly send = (letter: DeadLetter): void => {
    const letters = this.#read();
    const at = letters.findIndex(({ id }) => id === letter.id);
    this.#write(at < 0 ? [...letters, letter] : letters.with(at, letter));
  };

  readonly list = ({ axon, node, limit = 100 }: DeadLetterFilter = {}): readonly DeadLetter[] =>
    this.#read()
      .filter((letter) => (axon ?? letter.axon) === letter.axon && (node ?? letter.node) === letter.node)
      .slice(0, limit);

  readonly get = (id: string): DeadLetter | undefined => this.#read().find((letter) => letter.id === id);

  readonly remove = (id: string): boolean => {
    const letters = this.#read();
    const others = letters.filter((letter) => letter.id !== id);
    if (others.length < letters.length) this.#write(others);
    return others.length < letters.length;
  };

  #read(): readonly DeadLetter[] {
    if (!existsSync(this.#path)) return [];
    const letters = JSON.parse(readFileSync(this.#path, "utf8")) as readonly DeadLetter[];
    // JSON leaves out what is undefined.
    return letters.map((letter) => ({ ...letter, timeline: letter.timeline }));
  }

  #write(letters: readonly DeadLetter[]): void {
    writeFileSync(`${this.#path}.new`, JSON.stringify(letters));
    renameSync(`${this.#path}.new`, this.#path);
  }
}
