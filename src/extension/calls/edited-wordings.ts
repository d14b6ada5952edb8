import type { CallRecord } from '#protocol/call-record.ts';

/** The heading above a block's contract in a prompt. */
const HEADING = /^# Your task\n\n/;

const PIECE = /^(?:contract|persona)$/;

/** Returns those of `contract` and `persona` that the user changed in the text of a logged request, by name. */
export function editedWordings(text: string, original: CallRecord): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const { layer, role, name, text: before } of original.request.segments) {
    if (!PIECE.test(name)) continue;
    const title = new RegExp(String.raw`^(\S+) ${layer} ${role} ${name}\n`, 'm').exec(text);
    if (title === null) continue;
    const [head, mark = ''] = title;
    const rest = text.slice(title.index + head.length);
    const end = rest.indexOf(`\n${mark} `);
    const after = (end === -1 ? rest : rest.slice(0, end)).replace(/\n$/, '');
    if (after !== before) changed.set(name, after.replace(HEADING, ''));
  }
  return changed;
}
