// What a topic of an ingress's rooms is called on a RoomBus, which feeds of events may share:
// whoever may choose the name of a room must not get at those.

/** What the topics on a bus begin with that are the framework's own. */
export const OWN_TOPICS = "framework:";

const ROOMS = `${OWN_TOPICS}room:`;

export const busTopicOf = (topic: string): string => (topic.startsWith(OWN_TOPICS) ? ROOMS + topic : topic);

export function roomTopicOf(busTopic: string): string | undefined {
  if (!busTopic.startsWith(OWN_TOPICS)) return busTopic;
  return busTopic.startsWith(ROOMS) ? busTopic.slice(ROOMS.length) : undefined;
}
