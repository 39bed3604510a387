// What is not to be shown of the runs of a connection: what its handshake has sent as a
// secret, and what the message that is run has.

import type { TSchema } from "@sinclair/typebox";

import { HiddenTexts } from "#schema/hidden-texts.js";
import { compileRedactor, type Redactor } from "#schema/redactor.js";
import { holdsSecrets, type KeptSecrets, type RequestReport, shownWithout } from "../sent-secrets.js";

/** Of a message; those of a handshake have room behind them. */
const MAX_TEXTS = 24;

/** Looking at it takes time where messages fail, and they may fail on purpose. */
const MAX_BYTES = 65_536;

/** What a run has as its request, as far as that says what is secret. */
export interface SecretRun {
  readonly connection: { readonly requestId: string; readonly secrets: KeptSecrets | null };
  /** The message, where it may hold a secret. */
  readonly input: unknown;
}

export class RunSecrets {
  /** Whether messages may hold secrets: as the schema says. */
  readonly keepsInput: boolean;
  readonly #schema: TSchema | undefined;
  /** Made when it is first needed: most routes never do. */
  #redactor: Redactor | undefined;

  /** `schema` is that of the messages. */
  constructor(schema: TSchema | undefined) {
    this.#schema = schema;
    this.keepsInput = schema !== undefined && holdsSecrets(schema);
  }

  of({ connection, input }: SecretRun): HiddenTexts {
    const hidden = new HiddenTexts();
    if (this.keepsInput && this.#schema !== undefined) {
      this.#redactor ??= compileRedactor({ maxBytes: MAX_BYTES, schema: this.#schema });
      hidden.allow(MAX_TEXTS);
      this.#redactor.redact(input, undefined, hidden);
    }
    connection.secrets?.addTo(hidden);
    return hidden;
  }

  /** What a report says of a run's connection, and how it is shown. */
  reportOf(run: SecretRun): RequestReport {
    const { requestId } = run.connection;
    return { requestId, withoutSecrets: shownWithout(() => this.of(run)) };
  }
}
