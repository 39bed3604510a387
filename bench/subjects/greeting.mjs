export const plaintext = "Hello, World!";

/** What the JSON route answers, made for each request. */
export const greeting = () => ({
  message: plaintext,
  id: 42,
  ok: true,
  tags: ["a", "b", "c"],
  nested: { x: 1.5, y: "why" },
});
