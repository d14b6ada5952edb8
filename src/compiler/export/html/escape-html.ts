import { withoutTurning } from '../drawing/turning.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Safe as text and inside a quoted attribute; control characters and lone surrogates have no place in HTML. */
export const escapeHtml = (raw: string): string =>
  withoutTurning(raw)
    // eslint-disable-next-line no-control-regex -- names come from untrusted files
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
