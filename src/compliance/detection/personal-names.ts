// Names of properties that say personal data. Whole words of camel, snake and kebab case are compared
// from the end of a name, where the noun stands: `customerEmail` is an e-mail address, `emailTemplate`
// none. Usual spellings in one word are listed, or begin with a person: `firstname`, `userphone`.

import type { Category } from "#core/secrets/sensitive.js";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";

/** Phrases end at a comma. English first, then German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Korean and Japanese. */
const NAMES: Readonly<Record<string, string>> = {
  email: `email to, mailto, email, e mail, email address, mail address, email addr, mailbox, correo,
    correo electronico, courriel, adresse email, adresse mail, mail adresse, e mail adresse, posta
    elettronica, e post, epost, 이메일, 電子メール, メールアドレス`,
  phone: `callback number, sms number, phone ext, phone, phone number, telephone, telephone number, tel,
    tel number, mobile, mobile number, mobile phone, msisdn, cellphone, cell phone, cell number, cellular,
    fax, fax number, landline, contact number, whatsapp, whats app, whatsapp number, telefon,
    telefonnummer, rufnummer, handy, handynummer, mobilnummer, mobiltelefon, telephone portable, numero
    portable, numero telephone, telefono, numero telefono, movil, celular, cellulare, telefone, telemovel,
    telefoon, telefoonnummer, komorka, numer telefonu, 전화번호, 휴대폰, 電話番号`,
  name: `real name, name suffix, account holder, card holder, cardholder, contact person, ship to name,
    bill to name, next of kin, nombre cliente, nombre paciente, nombre titular, nom client, nom patient,
    nome cliente, additional name, first name, last name, middle name, full name, given name, family name,
    surname, forename, maiden name, birth name, nickname, nick name, legal name, preferred name, display
    name, screen name, user name, login name, name on card, name first, name last, name full, fname,
    lname, mname, middle initial, vorname, nachname, familienname, geburtsname, vollstandiger name,
    benutzername, prenom, nom famille, nom complet, nom utilisateur, apellido, apellidos, primer apellido,
    segundo apellido, nombre completo, nombre pila, nombre usuario, cognome, nome completo, sobrenome,
    apelido, voornaam, achternaam, imie, nazwisko, fornamn, efternamn, 이름, 성명, 氏名, 名前`,
  address: `residence, postal, zip postal, lieferadresse, rechnungsadresse, privatadresse, street number,
    address, home address, street, street address, street name, street line, address line, postcode, post
    code, postal code, zip, zip code, zipcode, house number, apartment number, apt number, flat number,
    addr, po box, anschrift, adresse, wohnort, strasse, hausnummer, plz, postleitzahl, rue, code postal,
    direccion, domicilio, codigo postal, calle, indirizzo, endereco, morada, adres, straatnaam,
    huisnummer, woonplaats, kod pocztowy, postnummer, gatuadress, 주소, 住所, 郵便番号`,
  date_of_birth: `dob year, birth place, place of birth, birthplace, geburtsort, dob, date of birth, dob
    date, birth month, birth date, birthday, birth day, bday, birthdate, born, born on, born at, day of
    birth, year of birth, birth year, geburtsdatum, geburts datum, geburtstag, date naissance, fecha
    nacimiento, fecha nac, data nascita, data nascimento, geboortedatum, data urodzenia, fodelsedatum,
    생년월일, 生年月日`,
  national_id: `ssn last, soc sec number, government id, gov id, gov id number, identification number,
    personal identity code, personal code, ssn, ss number, ni number, nid, nid number, cnp, hkid, nric,
    emirates id, social security, social security number, social insurance number, sin number, nino,
    national insurance number, national id, national id number, national identity number, national
    identifier, national number, identity number, identity document number, identity card, identity card
    number, id card, id card number, id number, personal id, personal id number, personal number, citizen
    id, citizen number, aadhaar, aadhaar number, aadhar, aadhar number, resident number, resident
    registration number, rrn, kr resident number, jumin, ausweisnummer, personalausweis,
    personalausweisnummer, sozialversicherungsnummer, numero securite sociale, carte identite, dni, nie,
    curp, numero identidad, numero identificacion, documento identidad, documento identita, bsn,
    burgerservicenummer, pesel, personnummer, henkilotunnus, cprnummer, my number, 주민등록번호, マイナンバー`,
  tax_id: `tax file number, ust id, tax id, tax number, tax id number, steuer id number, fiscal code,
    gstin, abn, business reg number, tax identification number, taxpayer id, taxpayer number, taxpayer
    identification number, tin, itin, ein, vat number, vat id, business number, business registration
    number, kr business number, brn, steuernummer, steuer id, steuerid, idnr, steueridentifikationsnummer,
    umsatzsteuer id, numero fiscal, numero fiscale, nif, codice fiscale, partita iva, cpf, cnpj, 사업자등록번호`,
  passport: `travel document number, travel doc number, passport, passport number, passport id,
    passnummer, reisepass, reisepassnummer, passeport, numero passeport, pasaporte, numero pasaporte,
    passaporto, numero passaporto, paspoort, paspoortnummer, 여권번호`,
  driving_licence: `driving licence, driving license, driving licence number, driving license number,
    driver licence, driver license, driver licence number, driver license number, drivers licence, drivers
    license, drivers licence number, drivers license number, dl number, fuhrerschein, fuhrerscheinnummer,
    permis conduire, carnet conducir, patente guida, rijbewijs`,
  card: `ccnum, cardnum, card number, credit card, credit card number, debit card, debit card number,
    payment card, payment card number, cc number, card pan, pan, primary account number, bank card, bank
    card number, kreditkarte, kreditkartennummer, kartennummer, carte bancaire, numero carte, tarjeta
    credito, numero tarjeta, carta credito, cartao credito, numero cartao`,
  bank_account: `acct number, iban, iban number, bank account, bank account number, account number, acc
    number, iban code, account iban, checking account number, routing number, sort code, bank details,
    kontonummer, bankverbindung, compte bancaire, numero compte, cuenta bancaria, numero cuenta, conto
    corrente, conta bancaria, rekeningnummer, 계좌번호`,
  ip_address: `ip, ip address, ip addr, ipv, ipv address, client ip, remote ip, remote address, remote
    addr, client address, peer address, ips, x forwarded for, forwarded for, x real ip, adresse ip,
    direccion ip, indirizzo ip`,
  location: `lon, lat lon, geo lat, geo lon, latitude, longitude, lat, lng, lat lng, lat long,
    geolocation, geo location, geo point, geo coordinates, gps, gps location, gps coordinates, gps
    position, current location, last known location, home location, user location`,
  health: `medicare number, hiv status, blood pressure, insurance policy number, health card number,
    diagnosis, diagnoses, medical record, medical record number, mrn, medical history, medical condition,
    health condition, health record, health status, health insurance number, insurance number, blood type,
    blood group, medication, prescription, allergy, allergies, disability, disabilities, nhs number,
    patient id, patient number, krankenversicherungsnummer, diagnose, blutgruppe`,
  biometric: `faceprint, voice sample, retina, facial recognition data, biometric, biometrics, biometric
    data, biometric template, biometric hash, fingerprint image, fingerprint template, fingerprint data,
    face id, face image, face embedding, face template, facial features, voice print, voiceprint, iris
    scan, iris template, retina scan, retinal scan, dna, dna sequence, palm print`,
  demographic: `citizenship, sexual preference, political party, union membership, gender, sex, ethnicity,
    ethnic origin, race ethnicity, religion, religious belief, nationality, marital status, sexual
    orientation, political opinion, political affiliation, trade union membership, geschlecht,
    nationalite, nationalitat, staatsangehorigkeit, estado civil, sexe, sexo, genero`,
};

const listed = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const PERSONS =
  listed(`user customer client buyer seller person people patient contact employee owner author guest
  passenger driver student member manager spouse child parent recipient sender applicant candidate beneficiary payer
  payee holder cardholder accountholder subscriber visitor attendee teacher doctor physician nurse staff worker mother
  father wife husband relative guardian signer signatory consignee reviewer approver creator player resident citizen
  borrower insured policyholder participant donor shopper traveler traveller claimant witness emergency admin friend
  colleague supervisor billing shipping consumer caller learner instructor kin kunde kunden benutzer mitarbeiter
  patienten usuario cliente utilisateur paciente employe lead prospect individual assignee requester respondent author profile receiver winner guarantor heir
  addressee landlord lessee renter dependent dependant sibling brother sister son daughter partner pupil trainee trainer
  coach volunteer therapist lawyer attorney rider courier salesperson representative founder artist speaker organizer
  organiser reporter editor interviewee nominee trustee registrant enrollee invitee debtor creditor plaintiff defendant
  beneficiario destinataire destinatario titulaire titular empleado alumno empfanger absender inhaber kontoinhaber`);

/** Before "address": other addresses than a person's. */
const OTHER_ADDRESSES =
  listed(`mac memory base contract wallet server bind listen proxy web url http host network
  port register bus start end byte physical virtual block hardware device eth ethereum bitcoin btc token multicast
  broadcast gateway router load pointer return instruction program page slave file output download export archive upload i2c dns source destination target`);

const OTHER_IPS = listed(
  "server bind listen gateway dns subnet host vip node pod cluster service load balancer",
);

/** Names of other things as well, unless a person stands before them: `productDisplayName`. */
const ANY_NAMES = listed("fullname displayname legalname preferredname realname screenname");

/** Before "user name": accounts of services. */
const SERVICES = listed("db database smtp imap ftp sftp service proxy mysql postgres redis mongo broker");

/** The first word of a switch, a count or a bound. */
const SWITCHES =
  listed(`is has should can send verify show hide enable allow require use validate max min count num
  total supports include exclude disable needs require required`);

/** Behind the noun; the rest is a name of its own. */
const QUALIFIERS =
  listed(`number value text raw string input plain primary secondary alternate alternative main home
  work office private personal business mobile old new current previous original line full confirmation confirm
  lower upper formatted normalized masked hash hashed encrypted last iso utc numero en fr es it ja ko zh latin kana kanji
  romaji e v one two three time deg legal list day month year empresa privat firma geschaftlich cliente usuario utilisateur paciente titular`);

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ...["no", "num", "nr", "nbr", "nummer", "numer"].map((each) => [each, "number"] as const),
  ["licence", "license"],
  ["nm", "name"],
  ["dt", "date"],
  ["acct", "account"],
  ["identifier", "id"],
]);

const LINKS = listed("of de di da do du del della la le d y van af");

/** Tokens that page through lists. */
const CURSOR = /(?:page|next|cursor|continuation|sync|prev|previous)/i;
/** Settings of credentials. */
const SETTING =
  /(?:policy|length|days?|expiry|expires(?:_?(?:at|in|on))?|count|enabled|required|type|strength|rotation|rules?)$/i;
const CREDENTIAL =
  /pass|pwd|secret|token|key|credential|pin|otp|cvv|cvc|cvn|csc|security|mnemonic|seed|jwt|bearer|authoriz|authoris|mfa/i;

const MAX_NAME = 128;
const MAX_WORDS = 12;
const MAX_JOINED = 5;

function wordsOf(name: string): readonly string[] {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .normalize("NFC")
    .replace(/ß/g, "ss")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .map((word) => word.replace(/\d+$/, ""))
    .filter((word) => word !== "")
    .map(singular)
    .map((word) => SYNONYMS.get(word) ?? word);
}

const singular = (word: string): string =>
  word.length < 4 ? word : word.replace(/sses$/, "ss").replace(/([^su])s$/, "$1");

/** One word for all spellings: also `sozialversicherungsNr` and `Sozialversicherungsnummer`. */
const joined = (words: readonly string[]): string =>
  words
    .filter((word) => !LINKS.has(word))
    .join("")
    .replace(/(?:nummer|nr)$/, "number")
    .replace(/ungsnumber$/, "ungnumber");

const KINDS = new Map<string, Category>();
for (const [kind, phrases] of Object.entries(NAMES))
  for (const phrase of phrases.split(",")) {
    const words = wordsOf(phrase.trim());
    for (const key of [joined(words), words.join("")]) KINDS.set(key, kind);
  }

/** The bare word for a name: it counts where the object is a person's. */
const BARE_NAME = listed("name nom nombre nome naam namn imie");

/** The kind of data that a property's name says. `parent` is the name of the property around it. */
export function kindOfName(name: string, parent?: string): Category | undefined {
  if (name.length > MAX_NAME) return undefined;
  if (parent !== undefined && isBareName(name) && PERSONS.has(wordsOf(parent).at(-1) ?? "")) return "name";
  if (!known.has(name)) {
    // Names also come from clients: the cache is bounded.
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, kindAlone(name));
  }
  return known.get(name);
}

const known = new Map<string, Category | undefined>();
const MAX_KNOWN = 4096;

function kindAlone(name: string): Category | undefined {
  const words = wordsOf(name);
  const kind = words.length > MAX_WORDS || SWITCHES.has(words[0] ?? "") ? undefined : kindOfWords(words);
  if (kind !== undefined) return kind;
  return isSensitiveName(name) && CREDENTIAL.test(name) && !CURSOR.test(name) && !SETTING.test(name)
    ? "credential"
    : undefined;
}

export const isBareName = (name: string): boolean => name.length < 8 && BARE_NAME.has(name.toLowerCase());

function kindOfWords(words: readonly string[]): Category | undefined {
  for (let end = words.length; end > 0; end -= 1) {
    const kind = kindAtEnd(words.slice(0, end));
    if (kind !== undefined) return kind;
    if (!QUALIFIERS.has(words[end - 1] as string)) return undefined;
  }
  return undefined;
}

function kindAtEnd(words: readonly string[]): Category | undefined {
  for (let from = Math.max(0, words.length - MAX_JOINED); from < words.length; from += 1) {
    const noun = joined(words.slice(from));
    const kind = KINDS.get(noun);
    const before = words.slice(0, from);
    if (kind === undefined) continue;
    if (kind === "address" && before.some((word) => OTHER_ADDRESSES.has(word))) return undefined;
    if (kind === "ip_address" && before.some((word) => OTHER_IPS.has(word))) return undefined;
    if (kind === "name" && before.some((word) => SERVICES.has(word))) return undefined;
    if (ANY_NAMES.has(noun) && before.length > 0 && !PERSONS.has(before.at(-1) as string)) return undefined;
    return kind;
  }
  const noun = words.at(-1) ?? "";
  const qualifier = words.at(-2);
  if (noun === "name" && qualifier !== undefined && PERSONS.has(qualifier)) return "name";
  return kindInOneWord(noun);
}

/** `customername`, `useremail`. */
function kindInOneWord(word: string): Category | undefined {
  for (let at = 4; at <= word.length - 2; at += 1) {
    if (!PERSONS.has(word.slice(0, at))) continue;
    const rest = word.slice(at);
    if (rest === "name") return "name";
    const kind = KINDS.get(rest);
    if (kind !== undefined && (rest.length > 3 || kind === "ip_address")) return kind;
  }
  return undefined;
}
