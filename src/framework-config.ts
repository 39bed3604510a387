import { readSigningKey } from "#audit/chain/signing-key.js";
import { type SignedAuditOptions, signedAudit } from "#audit/signed-audit.js";
import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import { keysAt } from "#compliance/encryption/master-keys.js";
import { FrameworkConfig as LoadedConfig, type LoadOptions } from "#config/config.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import { anchorAt, openAudit } from "#store/open-audit.js";
import { openSubjectKeys } from "#store/open-subject-keys.js";
import { openStores, type StoreAddresses, type Stores, type StoresOptions } from "#store/stores.js";
import type { SqlSubjectKeys } from "#store/subjects/sql-subject-keys.js";
import { initTelemetry } from "#telemetry/init-telemetry.js";
import { logOf } from "#telemetry/logging/log-source.js";
import type { Logging } from "#telemetry/logging/logger.js";
import { Telemetry } from "#telemetry/telemetry.js";

/** The configuration of a process: read once by `FrameworkConfig.load()`, frozen. */
export class FrameworkConfig extends LoadedConfig {
  /** Throws a ConfigError (CONFIG_INVALID) that has every mistake. */
  static override load(options: LoadOptions = {}): FrameworkConfig {
    return new FrameworkConfig(options);
  }

  /** The process's log on stdout, as the section `logging` has it: the same one at each call. */
  initLogging(): Logging {
    return logOf(this).logger;
  }

  /**
   * The stores of `persistence.url`, and of `redis.url` what several processes share; retention, migrations
   * and encryption as the sections have them. Opens nothing: `run` does. Throws CONFIG_INVALID for a URL
   * that no store has. `rates` and the others name another place than the default of {@link openStores}.
   */
  openStores(options: Pick<StoresOptions, "codec"> & Omit<StoreAddresses, "sql" | "redis"> = {}): Stores {
    requireKnownOptions("config.openStores", options, ["codec", "rates", "sessions", "keys", "locks"]);
    const { codec, ...places } = options;
    const { url, autoMigrate, retainDays, retainLettersDays, encryptionKeys } = this.persistence;
    const { service: named } = this.persistence;
    const service = named === "" && this.isSet("telemetry.service_name") ? this.telemetry.serviceName : named;
    const { url: redis, timeoutMs, ready } = this.redis;
    const addresses = { sql: url.reveal(), ...(redis !== undefined && { redis: redis.reveal() }), ...places };
    return openStores(addresses, {
      ...(redis !== undefined && { redisTimeoutMs: timeoutMs, readyNeedsRedis: ready }),
      autoMigrate,
      retainDays,
      retainLettersDays,
      ...(service !== "" && { service }),
      ...(encryptionKeys !== "" && { codec: new EncryptionHook({ keys: keysAt(encryptionKeys) }) }),
      ...(codec !== undefined && { codec }),
    });
  }

  /**
   * The audit log of `audit.url`, or of `persistence.url`; signed where `audit.signing_key_file` is set, and
   * anchored as the section has it. Closing it closes its database. Throws CONFIG_INVALID and AUDIT_KEY_INVALID.
   */
  openAudit(options: Omit<SignedAuditOptions, "key" | "everyEvents" | "everyMs"> = {}): AuditSink {
    const { url, signingKeyFile, anchor, checkpointEvents, checkpointSecs } = this.audit;
    const sink = openAudit((url ?? this.persistence.url).reveal(), this.persistence);
    if (signingKeyFile === "") return sink;
    return signedAudit(sink, {
      key: readSigningKey(signingKeyFile),
      ...{ everyEvents: checkpointEvents, everyMs: checkpointSecs * 1000 },
      ...(anchor !== "" && { anchors: [anchorAt(anchor)] }),
      ...options,
    });
  }

  /**
   * The keys of persons at `audit.subject_keys_url`, for `sealedAudit`. Closing them closes their database.
   * Throws CONFIG_INVALID where that or `persistence.encryption_keys` is not set.
   */
  openSubjectKeys(): SqlSubjectKeys {
    const { subjectKeysUrl } = this.audit;
    const { encryptionKeys } = this.persistence;
    if (subjectKeysUrl === undefined || encryptionKeys === "")
      throw invalidOption(
        "config.openSubjectKeys",
        "set audit.subject_keys_url, and persistence.encryption_keys, which encrypts them",
      );
    const codec = new EncryptionHook({ keys: keysAt(encryptionKeys) });
    return openSubjectKeys(subjectKeysUrl.reveal(), { codec });
  }

  /**
   * Sends traces where `telemetry.otlp_endpoint` or `otlp_traces_endpoint` is set, and does nothing otherwise. An ingress
   * with this configuration does it by itself. Throws TELEMETRY_UNAVAILABLE where the packages
   * for it are not installed. What it answers sends at once what waits to be sent.
   */
  initTelemetry(): Telemetry {
    return new Telemetry(initTelemetry(this));
  }
}
