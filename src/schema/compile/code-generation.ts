import { reportAsWarning } from "#core/bus/reporter.js";
import { interned } from "#core/interned.js";

/** Whether this process allows `new Function`: not under --disallow-code-generation-from-strings. */
export const canGenerateCode: boolean = (() => {
  try {
    new Function("");
    return true;
  } catch {
    return false;
  }
})();

/** The same, for who is about to compile an Axon: where it is forbidden, says so once per process. */
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
