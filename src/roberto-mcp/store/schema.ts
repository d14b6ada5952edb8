import { createHash } from 'node:crypto';
import { grammarLanguage, hasGrammar, type LanguageName } from '../parse/languages.ts';

/**
 * Version of the extractor. Increase it when equal text gives a different result, so that cached results are discarded.
 */
const EXTRACTOR_VERSION = 2;

/**
 * Version of the database schema. Increase it when the tables change: databases of other versions are deleted and
 * created again.
 */
export const SCHEMA_VERSION = 1;

export const SCHEMA = `
create table meta(key text primary key, value text not null) without rowid;
create table blobs(
  id integer primary key,
  key blob not null unique,
  language text not null,
  state text not null,
  size integer not null,
  lines integer not null,
  facts text not null
);
create table names(id integer primary key, name text not null unique, defined integer not null default 0);
create table definitions(
  blob integer not null,
  ordinal integer not null,
  name integer not null,
  kind integer not null,
  start_row integer not null,
  end_row integer not null,
  row integer not null,
  "column" integer not null,
  parent integer not null,
  flags integer not null,
  signature text not null,
  doc text not null,
  primary key(blob, ordinal)
) without rowid;
create index definitions_by_name on definitions(name);
create table refs(
  name integer not null, blob integer not null, count integer not null, positions blob not null, primary key(name, blob)
) without rowid;
create table blob_names(blob integer primary key, names blob not null);
create table chunks(id integer primary key, blob integer not null, start_row integer not null, end_row integer not null);
create index chunks_by_blob on chunks(blob);
create virtual table search using fts5(
  tokens, content='', contentless_delete=1, columnsize=1, detail=full, tokenize="unicode61 remove_diacritics 0 tokenchars '_$'"
);
`;

const fingerprints = new Map<LanguageName, string>();

/**
 * Returns a fingerprint of everything that determines how texts of a language are extracted: the version of the
 * grammar, its queries, and the version of the extractor.
 */
function extractionFingerprint(language: LanguageName): string {
  const known = fingerprints.get(language);
  if (known !== undefined) return known;
  const grammar = hasGrammar(language) ? JSON.stringify(grammarLanguage(language)) : language;
  const made = createHash('sha1').update(`${EXTRACTOR_VERSION}\0${language}\0${grammar}`).digest('hex').slice(0, 12);
  fingerprints.set(language, made);
  return made;
}

/** Returns the key of a parse result: a hash of the content, the language and the extraction fingerprint. */
export const blobKey = (bytes: Uint8Array, language: LanguageName): Uint8Array =>
  createHash('sha1').update(extractionFingerprint(language)).update(bytes).digest();
