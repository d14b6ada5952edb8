import type { CallRecord } from '#protocol/call-record.ts';
import type { Layer } from '#protocol/prompt.ts';
import type { EditedSegment, RequestChanges } from './repeat-call.ts';

/** The heading of a request that a person edits as text. */
const HEAD = `# The request of call CALL. Edit it, save it, and close the editor to send it.
# Empty the file to send nothing. Each piece begins with a line MARK <layer> <role> <name>;
# pieces may be added, removed and moved. Roles: system, user, assistant.`;

const SETTINGS = ['model', 'temperature', 'max_output_tokens'] as const;

/** Returns a separator that no line of any segment begins with. */
function markFor(texts: readonly string[]): string {
  let mark = '@@@';
  while (texts.some((text) => text.startsWith(mark) || text.includes(`\n${mark}`))) mark += '@';
  return mark;
}

const oneLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');

/** Formats a request as text for an editor. `readRequestText` reads unedited segments back exactly. */
export function requestText({ call, request }: CallRecord): string {
  const { segments, model, temperature, max_output_tokens } = request;
  const mark = markFor(segments.map(({ text }) => text));
  const settings = { model, temperature: temperature ?? '', max_output_tokens: max_output_tokens ?? '' };
  const head = [
    HEAD.replace('CALL', call).replace('MARK', mark),
    ...SETTINGS.map((name) => `${name}: ${settings[name]}`.trimEnd()),
  ];
  const pieces = segments.map(({ layer, role, name, text }) => `${mark} ${layer} ${role} ${oneLine(name)}\n${text}\n`);
  return `${head.join('\n')}\n\n${pieces.join('')}`;
}

type ReadRequest =
  { readonly ok: true; readonly changes: RequestChanges } | { readonly ok: false; readonly problem: string };

const refused = (problem: string): ReadRequest => ({ ok: false, problem });

const PIECE = /^([1-5]) (system|user|assistant)(?: (.*))?$/;

function readNumber(text: string): number | null | undefined {
  if (text === '') return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

function readSettings(lines: readonly string[]): RequestChanges | string {
  const found = new Map<string, string>();
  for (const line of lines) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name = '', value = ''] = /^(\w+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (!SETTINGS.some((one) => one === name))
      return `"${line}" is not a setting; the settings are ${SETTINGS.join(', ')}`;
    found.set(name, value);
  }
  const model = found.get('model');
  if (model === '') return '"model" is empty';
  const changes: { temperature?: number | null; maxOutputTokens?: number | null } = {};
  for (const [name, key] of [
    ['temperature', 'temperature'],
    ['max_output_tokens', 'maxOutputTokens'],
  ] as const) {
    const text = found.get(name);
    const value = text === undefined ? null : readNumber(text);
    if (value === undefined) return `"${name}: ${text ?? ''}" is not a number`;
    if (text !== undefined) changes[key] = value;
  }
  return { ...(model === undefined ? {} : { model }), ...changes };
}

/** Returns the separator of a request text, even if the comments were removed. */
const markIn = (text: string): string | null => /^(@{3,}) [1-5] (?:system|user|assistant)\b/m.exec(text)?.[1] ?? null;

/**
 * Parses an edited request. `original` is the text before editing: it has the separator, and shows whether the editor
 * changed the line endings.
 */
export function readRequestText(edited: string, original: string): ReadRequest {
  const bare = edited.startsWith('\uFEFF') ? edited.slice(1) : edited;
  const text = original.includes('\r\n') ? bare : bare.replaceAll('\r\n', '\n');
  const mark = markIn(original) ?? markIn(text);
  if (mark === null || text.trim() === '') return refused('it contains no piece of a prompt');
  const [head = '', ...pieces] = `\n${text}`.split(`\n${mark} `);
  const settings = readSettings(head.split('\n'));
  if (typeof settings === 'string') return refused(settings);
  const segments: EditedSegment[] = [];
  for (const [index, piece] of pieces.entries()) {
    const end = piece.indexOf('\n');
    const [title, rest] = end === -1 ? [piece, ''] : [piece.slice(0, end), piece.slice(end + 1)];
    const [, layer, role, name] = PIECE.exec(title.trimEnd()) ?? [];
    if (layer === undefined || role === undefined)
      return refused(
        `"${mark} ${title}" does not name a layer from 1 to 5 and a role, as "${mark} 1 user message" does`,
      );
    // The last segment includes the newline that ends the file.
    const body = index === pieces.length - 1 ? rest.replace(/\n$/, '') : rest;
    const named = name === undefined || name === '' ? 'added' : name;
    segments.push({ layer: Number(layer) as Layer, name: named, role: role as EditedSegment['role'], text: body });
  }
  return segments.length === 0
    ? refused('it contains no piece of a prompt')
    : { ok: true, changes: { ...settings, segments } };
}
