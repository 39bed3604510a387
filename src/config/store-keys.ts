import { url } from "./key.js";

/** Said until something does: a test compares it with what a server reports as CONFIG_UNREAD. */
const UNREAD = "Nothing in this release reads it.";

const EMBEDDED = ".framework";

export const persistence = {
  url: url<string>(["sqlite:", "postgres://", "postgresql://", "memory:"], {
    default: `sqlite:${EMBEDDED}/runs.db`,
    doc: `Where runs and dead letters are to be kept. ${UNREAD}`,
  }),
};

export const audit = {
  url: url<string>(["sqlite:", "postgres://", "postgresql://", "file:", "memory:"], {
    default: `sqlite:${EMBEDDED}/audit.db`,
    doc: `Where audit events are to be kept. ${UNREAD}`,
  }),
};

export const redis = {
  url: url<string | undefined>(["redis://", "rediss://"], {
    default: undefined,
    example: "redis://127.0.0.1:6379",
    doc: `For what several processes are to share: rate limits, sessions, locks. ${UNREAD}`,
  }),
};
