/** What is published: 128 bytes of which one is the mark that clients count. */
export const news = `!${"x".repeat(127)}`;
