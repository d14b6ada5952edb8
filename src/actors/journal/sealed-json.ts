import { crc32 } from 'node:zlib';
import { hex } from './checksum.ts';

/** Serialises an object as a line of JSON whose last field is a checksum over the text before it. */
export function seal(state: object): Uint8Array {
  const body = JSON.stringify(state).slice(0, -1);
  return Buffer.from(`${body},"crc":"${hex(crc32(body))}"}\n`);
}

const SEALED = /^(.*),"crc":"([0-9a-f]{8})"\}\n$/s;

/** Returns the JSON text without its checksum; null if the checksum is missing or does not fit. */
export function openSealed(bytes: Uint8Array): string | null {
  const [, body, crc] = SEALED.exec(Buffer.from(bytes).toString()) ?? [];
  return body === undefined || hex(crc32(body)) !== crc ? null : `${body}}`;
}
