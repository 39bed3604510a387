import { MARKED, type Place } from "./marked-places.js";

/**
 * The place of a value from JSON that its schema refused: a client may have put a secret beside its
 * place. Without a place in the schema a value is marked, and so is one without parts where parts
 * are marked, such as a text in place of an address.
 */
export function unfitPlace(place: Place | undefined, value: unknown): Place {
  if (place === undefined || place.isMarked) return MARKED;
  if (typeof value !== "object" || value === null) return place.hasMarks ? MARKED : place;
  const held = (name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;
  return {
    isMarked: false,
    hasMarks: place.hasMarks,
    property: (name) => unfitPlace(place.property(name), held(name)),
    item: (at) => unfitPlace(place.item(at), at === undefined ? undefined : held(String(at))),
  };
}
