/** `node server.mjs PORT`, told when it listens. */
export const host = "127.0.0.1";
export const port = Number(process.argv[2]);
export const ready = () => process.stdout.write("READY\n");
/** The same where its output is a log that is thrown away. */
export const readyAside = () => process.stderr.write("READY\n");
