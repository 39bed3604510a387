/**
 * What the input step answers where the input comes later, and whoever runs the program
 * calls `Program.goOn` with it: nobody waits for a promise. Its `then` makes generated code
 * leave for the loop, which gives it its meaning.
 */
export const SUSPENDED: object = Object.freeze({ then: null });
