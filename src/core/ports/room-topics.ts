// Names of an ingress's topics on a RoomBus. Event feeds may share the bus: a client that
// chooses the name of a room must not reach their topics.

/** Prefix of the framework's own topics. */
export const OWN_TOPICS = "framework:";

const ROOMS = `${OWN_TOPICS}room:`;

export const busTopicOf = (topic: string): string => (topic.startsWith(OWN_TOPICS) ? ROOMS + topic : topic);

export function roomTopicOf(busTopic: string): string | undefined {
  if (!busTopic.startsWith(OWN_TOPICS)) return busTopic;
  return busTopic.startsWith(ROOMS) ? busTopic.slice(ROOMS.length) : undefined;
}
