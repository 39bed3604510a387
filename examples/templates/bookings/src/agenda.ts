// The agenda of the clinic: which slots are taken, and by whom.

import { busKey } from "framework";

export interface Slot {
  readonly doctor: string;
  readonly day: string;
  readonly time: string;
}

export interface Appointment extends Slot {
  readonly patient: string;
}

export interface Agenda {
  /** Resolves to false if the slot is taken. */
  reserve(slot: Slot, patient: string): Promise<boolean>;
  release(slot: Slot): Promise<void>;
  list(doctor: string, day: string): Promise<Appointment[]>;
}

/** The key by which steps read it. Its value is given when the server starts: main.ts. */
export const Agenda = busKey<Agenda>()("Agenda");

/** Keeps the appointments in memory. In a database, a unique index keeps a slot from being taken twice. */
export class MemoryAgenda implements Agenda {
  readonly #appointments = new Map<string, Appointment>();

  async reserve({ doctor, day, time }: Slot, patient: string): Promise<boolean> {
    const key = keyOf({ doctor, day, time });
    if (this.#appointments.has(key)) return false;
    this.#appointments.set(key, { doctor, day, time, patient });
    return true;
  }

  async release(slot: Slot): Promise<void> {
    this.#appointments.delete(keyOf(slot));
  }

  async list(doctor: string, day: string): Promise<Appointment[]> {
    return [...this.#appointments.values()]
      .filter((appointment) => appointment.doctor === doctor && appointment.day === day)
      .sort((one, other) => one.time.localeCompare(other.time));
  }
}

const keyOf = ({ doctor, day, time }: Slot): string => JSON.stringify([doctor, day, time]);
