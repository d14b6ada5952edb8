/** Reasons why a file is listed but not parsed. */
export type SkipReason = 'binary' | 'failed' | 'generated' | 'huge' | 'link' | 'unreadable' | 'unsupported_encoding';

/** Maximum file size in bytes. Larger files are data or generated code, and parsing them takes seconds. */
export const MAX_FILE_BYTES = 1_048_576;
const PROBE_BYTES = 8_192;
/** Maximum mean line length of hand-written code, in bytes. A file above this limit counts as generated. */
const MAX_MEAN_LINE = 300;
const MIN_BYTES_FOR_MEAN = 4_096;
const GENERATED_NAME =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|poetry\.lock|composer\.lock|[^/]+\.min\.(?:js|css)|[^/]+\.(?:js|css)\.map)$/u;

function meanLine(bytes: Uint8Array): number {
  let lines = 1;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return bytes.length / lines;
}

/** Returns the reason why a file of this name must not be parsed, or null. */
export const skippedByName = (path: string): SkipReason | null => (GENERATED_NAME.test(path) ? 'generated' : null);

/** Returns the reason why a file with this content must not be parsed, or null. */
export function skippedByContent(bytes: Uint8Array): SkipReason | null {
  if (bytes.length > MAX_FILE_BYTES) return 'huge';
  if (bytes.length >= 2 && ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)))
    return 'unsupported_encoding';
  if (bytes.subarray(0, PROBE_BYTES).includes(0)) return 'binary';
  if (bytes.length >= MIN_BYTES_FOR_MEAN && meanLine(bytes) > MAX_MEAN_LINE) return 'generated';
  return null;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: false });

/** Decodes UTF-8 without its byte order mark; invalid bytes become U+FFFD. */
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes);
