/** Answers each message with itself, text as text and bytes as bytes. */
export const socket = {
  message: (message: string | Uint8Array) => message,
  maxMessageBytes: 1024 * 1024,
  idleTimeoutSecs: 14,
  allowedOrigins: ["https://app.example"],
};
