import { reportAsWarning } from "#core/bus/reporter.js";
import { interned } from "#core/interned.js";

/** True if this process allows `new Function`: false under --disallow-code-generation-from-strings. */
export const canGenerateCode: boolean = (() => {
  try {
    new Function("");
    return true;
  } catch {
    return false;
  }
})();

/** The same for the compiler of Axons; warns once per process if code generation is disallowed. */
export function mayGenerateCode(): boolean {
  if (!canGenerateCode) interned("CodeGenerationWarning", warn);
  return canGenerateCode;
}

function warn(): true {
  const message =
    "Code must not be generated in this process: Axons run, check and serialise by interpreters, which are slower";
  reportAsWarning({ code: "CODE_GENERATION_FORBIDDEN", message });
  return true;
}
