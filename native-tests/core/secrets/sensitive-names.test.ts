import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { addSensitiveNames, isSensitiveName } from "#core/secrets/sensitive-names.js";

const MASKED = `
  password userPassword PASSWORD_HASH db_passwd passw0rd pswd pwd userpwd dbpass
  secret clientSecret secret_key creds credentials
  token accessToken refresh_tokens tokenValue tokenHash id_token_hint csrf-token X-Auth-Token
  apiKey api_key x-api-key privateKey accountKey encKey
  authorization Proxy-Authorization auth auth_header cookie Set-Cookie sessionId sid PHPSESSID remember_me
  code_verifier device_code mfa backup_codes access_code otp pin user[pin] securityAnswer
  mnemonic seed_phrase dsn connectionString database_url salt hmac signature x-hub-signature x-hub-signature-256
  iban card cardNumber credit_card cvv ssn jwt
  passphrases oauth2token oauth2Token sessionKey session_keys github_pat refresh ccv smsCode one_time_code
  apitoken userpassword dbpasswords appsecret sshKey jwts passw0rd cvc2 passwordHash
`
  .trim()
  .split(/\s+/);

const SHOWN = `
  discard discarded card_type cardinality postcard encoder keyboard monkey key keys author authority authored
  description tokenizer tokenization token_type tokenCount max_tokens prompt_tokens totalTokens
  passenger passage compass bypass passed secretary sessions_count sessionStart
  pinned spin shipping opinion assign signal significant design asalted basalt
  cookieless_no passive dsnow ibank mfaith status code zipCode country
  autoRefresh lastRefresh refreshed passes passwordless pat path patient sms smsCount sha256sum base64 x509
  s3bucket utf8string max_new_tokens betoken address access basis bus codes promo_code compat secretariat
`
  .trim()
  .split(/\s+/);

describe("a name", () => {
  test("is a secret's by its whole words", () => {
    assert.ok(MASKED.length >= 40);
    assert.deepEqual(
      MASKED.filter((name) => !isSensitiveName(name)),
      [],
    );
  });

  test("is none by a part of a word", () => {
    assert.ok(SHOWN.length >= 40);
    assert.deepEqual(SHOWN.filter(isSensitiveName), []);
  });

  test("is one that nobody can read for its length", () => {
    assert.ok(isSensitiveName("x".repeat(257)));
    assert.ok(!isSensitiveName("x".repeat(256)));
  });

  test("is one of an application's own, alone and at the end of a longer one", () => {
    assert.ok(!isSensitiveName("patient_number"));
    addSensitiveNames(["patientNumber"]);

    assert.deepEqual(
      ["patient_number", "oldPatientNumber", "patient-number-count", "patients"].map(isSensitiveName),
      [true, true, false, false],
    );
  });
});
