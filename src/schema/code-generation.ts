/** Whether this process allows `new Function`: not under --disallow-code-generation-from-strings. */
export const canGenerateCode: boolean = (() => {
  try {
    new Function("");
    return true;
  } catch {
    return false;
  }
})();
