import { STATUS_CODES } from "node:http";

/** What goes behind "HTTP/1.1 ", without headers. */
export const statusLine = (status: number): string => `${status} ${STATUS_CODES[status] ?? "Unassigned"}`;
