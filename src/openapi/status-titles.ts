import { STATUS_CODES } from "node:http";

/** The phrase of a status: "Not Found". */
export const titleOfStatus = (status: number): string => STATUS_CODES[status] ?? `Status ${status}`;
