import { Refusal } from "../refusal.js";

export const malformed = (detail: string): Refusal => new Refusal("MULTIPART_INVALID", { detail });
