// What there is to test where code must not be generated (npm run test:no-codegen).

import { canGenerateCode } from "#schema/compile/code-generation.js";

/** Whether checks and serialisers are generated: both ways, or the one that is possible. */
export const generators: readonly boolean[] = canGenerateCode ? [true, false] : [false];

/** For tests of generated code itself, `test(name, { skip: needsCodeGeneration }, ...)`: they are named as skipped. */
export const needsCodeGeneration: string | false = canGenerateCode
  ? false
  : "code must not be generated here";
