// Names of properties, labelled by hand: a kind, or "none".

const rows = (kind: string, names: string): readonly (readonly [string, string])[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, kind] as const);

export const LABELLED_NAMES: readonly (readonly [name: string, kind: string])[] = [
  ...rows(
    "email",
    `email emails e-mail emailAddress email_address emailaddress customerEmail user_email contact-email useremail
     EMAIL workEmail email2 billingEmailAddress recoveryEmail replyToEmail correo correoElectronico courriel mailAddress`,
  ),
  ...rows(
    "phone",
    `phone phoneNumber phone_number phonenumber phoneNo mobile mobilePhone mobile_number cellPhone tel telephone
     homePhone work_phone faxNumber fax contactNumber telefon Telefonnummer handynummer telefono telephoneNumber
     customerPhone userphone phone1 msisdn whatsappNumber`,
  ),
  ...rows(
    "name",
    `firstName first_name firstname lastName last-name lastname fullName full_name fullname middleName surname
     givenName familyName maidenName nickname userName user_name username displayName customerName customername
     patientName employee_name recipientName cardholderName nameOnCard contactName passengerName vorname Nachname
     prenom prénom apellido apellidos cognome sobrenome voornaam achternaam ownerName emergencyContactName
     mothersMaidenName legalName guestName studentFullName`,
  ),
  ...rows(
    "address",
    `address homeAddress home_address streetAddress street addressLine1 address_line_2 billingAddress
     shipping_address deliveryAddress postalAddress postcode postalCode postal_code zip zipCode zip_code houseNumber
     adresse anschrift strasse straße plz postleitzahl direccion indirizzo endereco codigoPostal mailingAddress
     residentialAddress`,
  ),
  ...rows(
    "date_of_birth",
    `dob DOB dateOfBirth date_of_birth dateofbirth birthDate birth_date birthdate birthday birthYear geburtsdatum
     dateNaissance date_de_naissance fechaNacimiento fecha_de_nacimiento dataDiNascita patientDob`,
  ),
  ...rows(
    "national_id",
    `ssn SSN socialSecurityNumber social_security_number nationalId national_id nationalInsuranceNumber nino
     aadhaar aadhaarNumber identityNumber idCardNumber personalId residentRegistrationNumber rrn pesel personnummer
     bsn dni sozialversicherungsnummer customerSsn passportOrNationalId`,
  ),
  ...rows(
    "tax_id",
    "taxId tax_id taxNumber tin cpf cnpj nif steuernummer steuerId codiceFiscale codice_fiscale partitaIva vatNumber businessRegistrationNumber",
  ),
  ...rows("passport", "passport passportNumber passport_no passportNo reisepassnummer numeroPasaporte"),
  ...rows(
    "driving_licence",
    "drivingLicence driversLicense driver_license_number driverLicenceNo drivingLicenseNumber fuhrerschein führerscheinnummer",
  ),
  ...rows(
    "card",
    "cardNumber card_number creditCard creditCardNumber credit_card_no ccNumber debitCard pan kreditkartennummer cardNo paymentCardNumber",
  ),
  ...rows(
    "bank_account",
    "iban IBAN customerIban bankAccount bank_account_number accountNumber account_no accountNo sortCode routingNumber kontonummer",
  ),
  ...rows(
    "ip_address",
    "ip ipAddress ip_address ipaddress clientIp client_ip remoteAddr remote_ip ipv4 ipV6Address userIp lastLoginIp x-forwarded-for sourceIp",
  ),
  ...rows("location", "latitude longitude lat lng geoLocation geolocation gpsCoordinates homeLatitude"),
  ...rows(
    "credential",
    "password userPassword passwd apiKey api_key accessToken refresh_token clientSecret pin otp cvv privateKey secret",
  ),
  ...rows("health", "diagnosis bloodType blood_group medicalRecordNumber medicalHistory allergies mrn"),
  ...rows("biometric", "faceEmbedding voiceprint fingerprintTemplate irisScan biometricData"),
  ...rows("demographic", "gender ethnicity religion nationality maritalStatus sexualOrientation"),
  ...rows("phone", "phoneE164 phoneNumberFormatted whatsApp telefonoCliente"),
  ...rows(
    "name",
    "receiverName firstNameKana last_name_latin landlordName nombre_cliente billToName nextOfKin",
  ),
  ...rows("address", "aptNumber flat_number mailing_address_two"),
  ...rows("date_of_birth", "birthMonth date_of_birth_iso dateOfBirthUtc fecha_nac geburts_datum"),
  ...rows(
    "national_id",
    "NINumber ssNumber dniNumero sozialversicherungsNr nric personnr identityDocumentNumber",
  ),
  ...rows("tax_id", "steuerIdNr steuernr fiscalCode gstin businessRegNumber"),
  ...rows("bank_account", "accNo ibanCode kontoNr"),
  ...rows("card", "cardNumberLast4 card_number_encrypted"),
  ...rows("email", "emailCliente email_lower mailAdresse"),
  ...rows(
    "none",
    `id orderId order_id description hotel company fileName filename file_name hostname hostName productName
     product_name name title subtitle quantity price amount currency total discount status state type kind category
     createdAt updated_at deletedAt timestamp version revision zipFile zipfile unzip gzip tooltip skip ship shipping
     shippingMethod recipe recipient_count script pipe strip panel expand span companyName company_name bankName
     eventName className tagName tableName columnName fieldName keyName nodeName topicName queueName branchName
     packageName moduleName serviceName groupName teamName brandName modelName schoolName petName domainName
     displayOrder macAddress mac_address memoryAddress baseAddress contractAddress serverAddress bindAddress
     emailTemplate email_template_id emailVerified isEmailVerified hasEmail sendEmail emailCount emailsSent
     emailSubject phoneModel phoneType phoneVerified maxPhones mobileEnabled isMobile addressType addressCount
     addressId ipVersion ipRange ipWhitelistEnabled clipboard chip zipped flip tipAmount trip membership relationship
     descriptor subscription cardType cardBrand cardCount cardLayout cardinality discard dashboard scorecard
     giftcardBalance wildcard pagination nextPageToken pageToken cursor tokenCount maxTokens passCount passRate
     compass bypass telemetry hotelId intel telescope cartel pantry japan spanner companion participantCount
     nameSpace namespace rename renamed filenamePattern variableName functionName latency platform plate translate
     template related lateFee calculate flat dobson adobe bornAgain isAdult age_limit maxAge page language message
     username_max_length birthdayDiscountEnabled streetViewEnabled postCount genderNeutral sexton unisex health
     healthCheck healthStatusCode diagnosticsEnabled fingerprint keyFingerprint locale location jobLocation
     fileLocation locationId ssnRequired passportControlEnabled licence licenseKeyType softwareLicense taxRate taxes
     tax taxAmount vatRate vat accountId accountType account accountStatus ibanSupported bankCode swiftEnabled
     addressing nicknameAllowed surnameRequired ttl url uri path port protocol method headers body query params
     sku ean upc isbn color size weight height width length rating score rank level priority sequence index offset
     limit count checksum hash digest etag uuid guid requestId traceId spanId correlationId sessionCount parentId emailClient mobileClient flatNumberFormat pathName fullScreen lastModified
     phonePrefix birthRate personCount cardSort`,
  ),
];
