import { FrameworkError } from "../errors.js";
import { interned } from "../interned.js";

declare const page: unique symbol;

class Html {
  declare readonly [page]: true;
  readonly text: string;

  constructor(text: string) {
    // Checked here: when it is written, the status has been sent already.
    if (typeof text !== "string")
      throw new FrameworkError("RESPONSE_INVALID", `html() takes a text, not ${typeof text}`);
    this.text = text;
    Object.freeze(this);
  }
}

const SharedHtml = interned("Html", () => Html);
type SharedHtml = Html;

export { SharedHtml as Html };

/** A page: `text/html` in UTF-8, sent unchanged. Escape untrusted text before. */
export const html = (text: string): SharedHtml => new SharedHtml(text);
