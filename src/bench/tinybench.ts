import { FrameworkError } from "#core/errors.js";

/** Throws CONFIG_INVALID, with the command that installs it. */
export async function tinybench(): Promise<typeof import("tinybench")> {
  try {
    return await import("tinybench");
  } catch (cause) {
    throw new FrameworkError(
      "CONFIG_INVALID",
      'Functions and Axons are timed by the package tinybench: run "npm install --save-dev tinybench@6.2.3"',
      { cause },
    );
  }
}
