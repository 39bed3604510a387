/** The package version; a test compares it with package.json. */
export const VERSION = "0.30.0";
