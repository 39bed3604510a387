import { BearerAuth } from "../../dist/inspector/index.js";

/**
 * Declares an Inspector that records so many of the runs, or one that is off ("off"); none where
 * `ratio` is undefined.
 */
export function inspect(ingress, ratio) {
  if (ratio === "off") ingress.inspector({ enabled: false });
  else if (ratio !== undefined) {
    const auth = BearerAuth.tokens({ operator: "an-operator-of-this-benchmark" });
    ingress.inspector({ enabled: true, port: 0, announce: () => {}, sampleRatio: Number(ratio), auth });
  }
}
