// JSON Schema of the contract's schemas, with a description of each field.
import * as z from 'zod/mini';

export type Json = Record<string, unknown>;

/** `owner` is the call, for fields that mean something else there. */
export function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output', owner = ''): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // Omit the limits of JavaScript's integers, which only add noise.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // Both sides ignore unknown fields, so the schema does not forbid them.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json;
  return described(json, owner);
}

/** `owner` is the call or the field that the schema belongs to. */
function described(schema: Json, owner: string): Json {
  const { properties, items, anyOf } = schema as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map((choice) => described(choice, owner)) }),
    ...(items && { items: described(items, owner) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          { description: descriptionOf(name, owner), ...described(field, name) },
        ]),
      ),
    }),
  };
}

export function descriptionOf(name: string, owner: string): string | undefined {
  return FIELDS[`${owner}.${name}`] ?? FIELDS[name];
}

/** Makes a parameter of each field of the schema of a path or a query. */
export function parametersOf(place: 'path' | 'query', schema: Json, examples: Json = {}): Json[] {
  const required = schema['required'] as string[] | undefined;
  return Object.entries(schema['properties'] as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: required?.includes(name) ?? false,
      description,
      schema: rest,
      ...(name in examples && { example: examples[name] }),
    };
  });
}

/** What each field and parameter means. A name that has another meaning in one place is listed with its parent. */
export const FIELDS: Record<string, string> = {
  // Uploads
  uploadId: 'Identifies the upload, together with fileKey.',
  fileKey: 'The name of the stored bytes. Not the key of the encryption.',
  key: 'The fileKey of the upload.',
  fileName: 'The name in clear, or file-1, file-2 and so on if the sender hides it.',
  fileSize: 'Bytes before encryption, with padding.',
  contentType: 'The media type, or application/octet-stream if the sender hides it.',
  totalParts: 'How many parts the file is cut into. The number in the response is the one that counts.',
  downloadLimit: 'How often the file may be downloaded.',
  retentionPeriod: 'Days until the file is deleted.',
  isEncrypted: 'Whether the client encrypted the bytes.',
  chunkSize: 'Bytes of each part before encryption. The last part may have fewer.',
  presignedUrl: 'The signed URL of the bytes, valid for one hour.',
  partNumber: 'The number of the part. The first is 1.',
  PartNumber: 'The number of the part. The first is 1.',
  etag: 'The ETag that the PUT of the part returned.',
  ETag: 'The ETag that the PUT of the part returned.',
  parts: 'Each part once.',
  metadata: 'What a recipient needs to open the file. FORMAT.md explains it.',
  format: 'The sealed format.',
  salt: 'Base64 of 16 random bytes, new for each file.',
  pageSalt: 'Base64 of 16 random bytes, the same for all files of a page.',
  keyCheck: 'Base64. Tells a wrong key from the right one.',
  accessCheck: 'Base64 of the SHA-256 hash of the access token.',
  details: 'Base64 of the sealed name, type and size.',
  fileUrl: 'The URL of the call that takes a grant.',
  pageURL: 'The address of the page, for people.',
  downloadURL: 'The address of the page, for people.',
  pageID: 'Identifies the page.',
  downloadId: 'Identifies the file.',
  fileIDs: 'The files, by their downloadId.',
  ids: 'The files, by their id, in the order in which they are wanted.',
  list: 'Base64 of the sealed list of the files.',
  fileCount: 'How many files the page has.',
  secret: 'Base64 of 32 random bytes.',
  allowed: 'Whether initUpload would accept the upload token or the pass of this request.',

  // Requests
  delivery: 'For files that someone has asked for.',
  requestID: 'Identifies the request.',
  card: 'Base64 of the sealed public key, title and message.',
  senderCheck: 'Base64 of the SHA-256 hash of the token of the senders.',
  ownerCheck: 'Base64 of the SHA-256 hash of the token of the owner.',
  openDays: 'For how many days files can be sent.',
  closesAt: 'Epoch seconds. From then on no upload is opened for it.',
  isOpen: 'Whether an upload can be opened for it.',
  deliveries: 'What has arrived.',
  sealed: 'Base64 of the key of the page, sealed for the owner of the request.',
  deliveredAt: 'Epoch seconds.',
  requests: 'Whether visitors can ask others for files.',
  'createRequest.salt': 'Base64 of 16 random bytes, new for each request.',
  'request.salt': 'Base64 of 16 random bytes, new for each request.',
  'createRequest.retentionPeriod': 'Days until files are deleted after they have arrived.',
  'request.retentionPeriod': 'Days until files are deleted after they have arrived.',

  // Downloads
  id: 'Identifies the file.',
  action: 'Always this word.',
  demo: 'With true, the same checks without counting a download.',
  files: 'In the order of the sender.',
  maxDownloads: 'How often the file may be downloaded.',
  currentDownloads: 'How often it was.',
  createdAt: 'Epoch seconds.',
  expiresAt: 'Epoch seconds.',
  granted: 'Whether this client has a grant. It may then download although the limit is reached.',
  requiresDecryptionConfirmation: 'Whether the client must decrypt the bytes, and confirm afterwards.',
  'createResumeSecret.id': 'Identifies the secret.',
  'readResumeSecret.id': 'Identifies the secret.',
  'dropResumeSecret.id': 'Identifies the secret.',

  // Signed URLs
  offset: 'Where the part begins in the stored bytes.',
  length: 'Bytes of the part as it is sent.',
  client: 'A hash that names the client of the grant.',
  expires: 'Epoch milliseconds.',

  // The instance
  maxTotalBytes: 'The limit of all files of a page together.',
  statedTotalGb: 'The same limit as texts state it, a little lower.',
  maxFilesPerPage: 'How many files a page may have.',
  retentionDays: 'The retention periods that a sender may choose.',
  defaultRetentionDays: 'The preselected retention period.',
  'config.downloadLimit': 'Which download limits a sender may choose.',
  min: 'The lowest.',
  max: 'The highest.',
  default: 'The preselected one.',
  shortcuts: 'Those that have a button.',
  allowUnencrypted: 'Whether files without encryption are accepted.',
  hideNames: 'Whether senders may hide names and sizes, or must.',
  uploadTokenRequired: 'Whether opening an upload requires the upload token, or a pass if signIn is true.',
  signIn: 'Whether people sign in at the page /sign-in to get an upload pass.',
  contactEmail: 'The address of the operator.',
  analytics: 'The service that counts visits. Null: none.',
  'analytics.service': 'Its name.',
  'analytics.url': 'Its address.',
  'analytics.id': 'The site as this service knows it.',
  operator: 'Who runs this instance. Null: not set.',
  'operator.name': 'A person or a company.',
  'operator.address': 'May have several lines.',
  'operator.contact': 'An email address, or a URL that starts with https.',
  'operator.phone': 'A telephone number.',
  'operator.representative': 'Who represents the company.',
  'operator.privacyContact': 'Who is in charge of personal data. May have several lines.',
  'operator.euRepresentative': 'The representative in the EU or the United Kingdom. May have several lines.',
  'operator.serverCountry': 'Where the server is.',
  'operator.law': 'The law that applies to the terms. Null: the one that the terms name.',
  'operator.court': 'The court of first instance. Null: the one that the terms name.',
  'operator.registerNumber': 'The number in a public register.',
  'operator.processors': 'Companies that process data for the operator. May have several lines.',
  termsDate: 'Since when the terms and the privacy policy apply.',
  release: 'What the web app was built from. Missing in development.',
  'release.version': 'The version of Furoshiki.',
  'release.commit': 'The commit. Null if the sources had changes that were not committed.',
  'release.fingerprint': 'The SHA-256 of build.json, in hexadecimal.',
  'release.isPublished':
    'Whether pages and policy are those that every server of this release sends by default, so that the published manifest is valid for them.',
  'release.source': 'Where the sources of exactly this commit are (`SOURCE_URL`). Null: not known.',
  ready: 'Whether database and storage respond.',
  token: 'For the header x-csrf-token.',
  success: 'Always true.',

  // Several calls at once
  calls: 'Up to 16 calls.',
  'calls.name': 'The operationId of the call.',
  params: 'The parameters of its path.',
  headers: 'Its headers, with names in lower case.',
  body: 'Its body.',
  responses: 'In the order of the calls.',
  'responses.status': 'The status of this call.',
  'responses.retryAfterSeconds': 'When a retry may succeed.',
  'responses.body': 'The body that the call alone would have as its response.',

  // Messages
  'contact.name': 'The name of the visitor.',
  'contact.email': 'Where to reply.',
  'contact.message': 'The text.',
  'report.reason': 'What is wrong with the page.',
  'report.email': 'Where to reply.',

  // Errors
  errorCode: 'One of a closed list. Programs decide by it.',
  error: 'A text for people, in the language of the request.',
  message: 'The same text.',
  field: 'Where the first mistake is. Only of VALIDATION_FAILED.',
};
