// The books of a catalogue, and where they are stored.

import { busKey, type Static, Type } from "framework";

export const Book = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 200 }),
    author: Type.String({ minLength: 1, maxLength: 200 }),
    year: Type.Integer({ minimum: 1450, maximum: 2100 }),
  },
  { $id: "Book", additionalProperties: false },
);
export type Book = Static<typeof Book>;

export const StoredBook = Type.Object({ id: Type.String(), ...Book.properties }, { $id: "StoredBook" });
export type StoredBook = Static<typeof StoredBook>;

export interface BookStore {
  list(author: string | undefined, limit: number): Promise<StoredBook[]>;
  find(id: string): Promise<StoredBook | undefined>;
  save(book: StoredBook): Promise<StoredBook>;
  /** Resolves to false if there is no such book. */
  remove(id: string): Promise<boolean>;
}

/** The key by which steps read the store. Its value is given when the server starts: main.ts. */
export const Books = busKey<BookStore>()("Books");

/** Keeps the books in memory. Write another BookStore for your database. */
export class MemoryBooks implements BookStore {
  readonly #books = new Map<string, StoredBook>();

  async list(author: string | undefined, limit: number): Promise<StoredBook[]> {
    const books = [...this.#books.values()];
    return books.filter((book) => author === undefined || book.author === author).slice(0, limit);
  }

  async find(id: string): Promise<StoredBook | undefined> {
    return this.#books.get(id);
  }

  async save(book: StoredBook): Promise<StoredBook> {
    this.#books.set(book.id, book);
    return book;
  }

  async remove(id: string): Promise<boolean> {
    return this.#books.delete(id);
  }
}
