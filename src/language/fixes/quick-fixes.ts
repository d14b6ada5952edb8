import type { Node } from 'jsonc-parser';
import { rightWord, suggestedIn } from '#compiler/index.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { JsonValue } from '#protocol/json.ts';
import { nodeAt, nodeAtPointer, pathOf, spanOfDiagnostic } from '../find/node-at.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import { blockReference } from '#compiler/index.ts';
import type { ManifestDocument } from '../text/document.ts';
import { memberOf, membersOf, textOf } from '../text/json-node.ts';
import type { Position, TextEdit } from '../text/place.ts';
import { setValue } from './edit-json.ts';

/** A code action that corrects one diagnostic. */
interface QuickFix {
  readonly title: string;
  /** The code of the diagnostic that this fix corrects. */
  readonly code: string;
  readonly edits: readonly TextEdit[];
  /** True for the fix that is most likely the intended one. */
  readonly isPreferred: boolean;
}

type Path = readonly (string | number)[];

interface Finding {
  readonly project: ManifestProject;
  readonly document: ManifestDocument;
  readonly diagnostic: Diagnostic;
  /** The JSON path of the value at the diagnostic's position. A key has the path of its value. */
  readonly path: Path;
}

type Fix = (finding: Finding) => readonly Omit<QuickFix, 'code'>[];

const fix = (title: string, edits: readonly TextEdit[], isPreferred = false): readonly Omit<QuickFix, 'code'>[] =>
  edits.length === 0 ? [] : [{ title, edits, isPreferred }];

/** Returns the parts of a message that stand in double quotes. */
const quoted = (message: string): readonly string[] =>
  [...message.matchAll(/"([^"]*)"/g)].map(([, text]) => text ?? '');

/** Returns the path of a file relative to the file that imports it, as `imports` expects it. */
function relativeTo(importer: string, file: string): string {
  const from = importer.split('/').slice(0, -1);
  const to = file.split('/');
  let same = 0;
  while (same < from.length && from[same] === to[same]) same += 1;
  const up = from.slice(same).map(() => '..');
  return [...(up.length === 0 ? ['.'] : up), ...to.slice(same)].join('/');
}

/**
 * Returns the keys and texts that a diagnostic may be about: the one at its position, the key of the value there, and
 * the texts of an object there.
 */
function textsAt(document: ManifestDocument, diagnostic: Diagnostic): readonly Node[] {
  const at = nodeAt(document, spanOfDiagnostic(document, diagnostic).from);
  const key = at?.parent?.type === 'property' ? at.parent.children?.[0] : undefined;
  const inside = at?.type === 'object' ? membersOf(at).map(({ value }) => value) : [];
  return [at, key, ...inside].filter((node) => node !== undefined).filter(({ type }) => type === 'string');
}

/**
 * Replaces a misspelt name by the compiler's suggestion. The misspelt name is the first quoted text of its message. No
 * fix is offered if the name is not in a text at the diagnostic's position.
 */
const replaceByNear: Fix = (finding) => {
  const { document, diagnostic } = finding;
  const suggested = suggestedIn(diagnostic.advice);
  if (suggested === null || membersBeside(finding) !== null) return [];
  const near = diagnostic.code === 'RS2002' ? relativeTo(document.path, suggested) : suggested;
  const texts = textsAt(document, diagnostic);
  const named = quoted(diagnostic.message)
    .filter((text) => text !== '')
    .flatMap((wrong) => {
      const node = texts.find((one) => document.text.slice(one.offset, one.offset + one.length).includes(wrong));
      return node === undefined ? [] : [{ node, wrong }];
    })[0];
  // If the whole key or value is wrong, the message quotes no part of it.
  const node = named?.node ?? texts.find(({ offset }) => offset === spanOfDiagnostic(document, diagnostic).from);
  if (node === undefined) return [];
  const whole = { from: node.offset + 1, to: node.offset + node.length - 1 };
  const at = named === undefined ? -1 : document.text.slice(whole.from, whole.to).lastIndexOf(named.wrong);
  const part =
    named === undefined || at < 0 ? whole : { from: whole.from + at, to: whole.from + at + named.wrong.length };
  const newText = JSON.stringify(near).slice(1, -1);
  return fix(`Replace with "${near}"`, [{ file: document.path, range: document.rangeOf(part), newText }], true);
};

/** Returns the members that have to stand beside the right word for a wrong `kind`; null if it needs none. */
function membersBeside({ document, path }: Finding): Readonly<Record<string, string>> | null {
  const written = path.at(-1) === 'kind' ? textOf(nodeAtPointer(document, `/${path.join('/')}`)) : null;
  const right = written === null ? null : rightWord('kind', written);
  return right?.near === undefined || right.near === null || right.beside === undefined
    ? null
    : { kind: right.near, ...right.beside };
}

/** Writes the right `kind` of a worker with the members that it needs, such as the preset of an agent. */
const writeKind: Fix = (finding) => {
  const { document, path } = finding;
  const members = Object.entries(membersBeside(finding) ?? {});
  const title = `Write ${members.map(([key, value]) => `"${key}": "${value}"`).join(', ')}`;
  const owner = path.slice(0, -1);
  const isWritten = (key: string): boolean =>
    nodeAtPointer(document, `/${[...owner, key].join('/')}`)?.type === 'string';
  const added = members.filter(([key]) => !isWritten(key)).map(([key, value]) => `, "${key}": "${value}"`);
  const edits = members
    .filter(([key]) => isWritten(key))
    .flatMap(([key, value]) => setValue(document, [...owner, key], value));
  // New members stand directly behind the kind, in the same edit.
  const [first, ...others] = edits;
  return first === undefined
    ? []
    : fix(title, [{ ...first, newText: first.newText + added.join('') }, ...others], true);
};

/** Replaces an ambiguous name by one of the clear ones that the advice lists. */
const makeClear: Fix = ({ document, diagnostic, path }) =>
  quoted(diagnostic.advice).flatMap((name) => fix(`Write "${name}"`, setValue(document, path, name)));

const removeHere: Fix = ({ document, path }) => {
  const last = path.at(-1);
  return fix(typeof last === 'string' ? `Remove "${last}"` : 'Remove it', setValue(document, path, undefined));
};

/** Removes the second of two properties with the same name. A JSON path would select the first one. */
const removeDuplicate: Fix = ({ document, diagnostic }) => {
  const key = nodeAt(document, spanOfDiagnostic(document, diagnostic).from);
  const property = key?.parent;
  const siblings = property?.parent?.children ?? [];
  const before = siblings[siblings.findIndex((one) => one === property) - 1];
  if (key === undefined || property === undefined || before === undefined) return [];
  const span = { from: before.offset + before.length, to: property.offset + property.length };
  const edit = { file: document.path, range: document.rangeOf(span), newText: '' };
  return fix(`Remove the second "${String(key.value)}"`, [edit]);
};

const HALT_ROW = { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' };

/** Appends a row for `SIGNAL:FAIL_DEFAULT` to the transition table of the diagnostic's block. */
const addFailDefault: Fix = ({ document, path }) => {
  const block = path.slice(0, 4);
  const title = 'Add a row that halts on any other signal';
  const written = nodeAtPointer(document, `/${block.join('/')}`);
  if (block.length === 4 && memberOf(written, 'on') !== undefined)
    return fix(title, setValue(document, [...block, 'on', 'FAIL_DEFAULT'], 'HALT_AND_FLAG'), true);
  const table = [...block, 'transitions'];
  const count = nodeAtPointer(document, `/${block.join('/')}/transitions`)?.children?.length ?? 0;
  const edits =
    block.length === 4 && count > 0
      ? setValue(document, [...table, count], HALT_ROW)
      : setValue(document, table, [HALT_ROW]);
  return fix(title, edits, true);
};

const newBlock = (worker: string): JsonValue => ({
  worker,
  transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'RETURN' }, HALT_ROW],
});

/** Returns the worker of a newly created block: the first declared worker, or a manual step if there is none. */
const someWorker = ({ names }: ManifestProject): string => names.names('worker')[0] ?? 'Internal:ManualIntervention';

/** Returns the edits that add a block to the declaration of a node. */
function addBlock(project: ManifestProject, node: string, name: string): readonly TextEdit[] {
  const declared = project.names.places({ kind: 'node', name: node }).find((place) => place.isDeclaration);
  const document = declared === undefined ? null : project.document(declared.file);
  return document === null ? [] : setValue(document, ['nodes', node, 'blocks', name], newBlock(someWorker(project)));
}

const createBlock: Fix = ({ project, diagnostic, path }) => {
  const [target = ''] = quoted(diagnostic.message);
  const found = blockReference(target, { from: 0, to: target.length }, String(path[1])).at(-1)?.symbol;
  if (found?.kind !== 'block' || path[0] !== 'nodes') return [];
  return fix(`Create the block "${found.name}" in ${found.node}`, addBlock(project, found.node, found.name));
};

const createNode: Fix = ({ project, document, diagnostic }) => {
  const [name = ''] = quoted(diagnostic.message);
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return [];
  const value = { entry_block: 'Start', blocks: { Start: newBlock(someWorker(project)) } };
  return fix(`Create the node "${name}"`, setValue(document, ['nodes', name], value));
};

const declare =
  (section: 'workers' | 'context_slices' | 'pools' | 'commands', what: string, value: JsonValue): Fix =>
  ({ document, diagnostic, path }) => {
    const [name = ''] = quoted(diagnostic.message);
    if (section === 'workers' && (path.at(-1) !== 'worker' || !/^(?:Worker:)?[A-Za-z0-9_-]+$/.test(name))) return [];
    if (name === '') return [];
    return fix(`Declare the ${what} "${name}"`, setValue(document, [section, name], value));
  };

const AI_WORKER = { kind: 'ai', provider: 'anthropic', model: '', persona: '' };
const SLICE = { queries: [{ tool: 'get_file_outline', args: { path: '${artifact}' } }] };

const TAGGED: Readonly<Record<string, JsonValue>> = {
  worker: 'Internal:ManualIntervention',
  kind: 'ai',
  on_signal: 'SIGNAL:SUCCESS',
  action: 'HALT_AND_FLAG',
  policy: 'bubble',
  type: 'proceed',
  keys: ['default'],
  command: ['true'],
  queries: [{ tool: 'get_file_outline' }],
  id: 'response.success',
  tool: 'get_file_outline',
};

const addMissingKey: Fix = ({ document, diagnostic, path }) => {
  const key = quoted(diagnostic.message).at(-1) ?? '';
  const value = TAGGED[key];
  return value === undefined ? [] : fix(`Add "${key}"`, setValue(document, [...path, key], value));
};

/**
 * Removes the transition row that the diagnostic is about. In `on`, a signal's value is a list of rows or a single row,
 * which is removed together with the signal's key.
 */
const removeRow: Fix = ({ document, path }) => {
  const isInList = path[4] === 'on' && typeof path[6] === 'number';
  const row = path.slice(0, isInList ? 7 : 6);
  return (row[4] === 'transitions' || row[4] === 'on') && row.length >= 6
    ? fix('Remove the row', setValue(document, row, undefined))
    : [];
};

const HANDLERS = ['onSuccess', 'onFailure'];

/**
 * Removes one style from a block that has transition rows in two styles. A table is kept rather than `onSuccess` and
 * `onFailure`, since it is more expressive.
 */
const removeSugar: Fix = ({ document, path }) => {
  const block = path.slice(0, 4);
  const node = nodeAtPointer(document, `/${block.join('/')}`);
  const others = memberOf(node, 'transitions') === undefined ? HANDLERS : ['on', ...HANDLERS];
  const named = others.filter((key) => memberOf(node, key) !== undefined);
  const [only] = named;
  return named.length === 1 && only !== undefined
    ? fix(`Remove "${only}"`, setValue(document, [...block, only], undefined))
    : [];
};

/** Matches words that a shell would not treat in any special way. */
const PLAIN_WORDS = /^[\w./@:=,+-]+(?: [\w./@:=,+-]+)*$/;

/** Wraps a string in an array if the compiler's advice is to use a list; a command becomes a list of its words. */
const wrapInList: Fix = ({ document, diagnostic, path }) => {
  const node = nodeAtPointer(document, diagnostic.pointer);
  const text = textOf(node);
  if (text === null || !diagnostic.advice.includes('a list')) return [];
  // An example with several items is a command, one with double brackets a list of commands.
  const isCommand = diagnostic.advice.includes('", "');
  if (isCommand && !PLAIN_WORDS.test(text)) return [];
  const list = isCommand ? text.split(' ') : [text];
  return fix('Write it as a list', setValue(document, path, diagnostic.advice.includes('[[') ? [list] : list));
};

const FIRST_VALUES: Readonly<Record<string, JsonValue>> = { number: 1, boolean: true };

/**
 * Adds the missing argument of an import, with a value of the parameter's type. An import that is only a path becomes
 * an object.
 */
const addArgument: Fix = ({ document, diagnostic, path }) => {
  const [, name = ''] = quoted(diagnostic.message);
  const [, type = ''] = /, an? (\w+)\.$/.exec(diagnostic.message) ?? [];
  const at = path.slice(0, 2);
  const written = textOf(nodeAtPointer(document, `/${at.join('/')}`));
  const value = FIRST_VALUES[type] ?? '';
  if (name === '' || at.length < 2) return [];
  const edits =
    written === null
      ? setValue(document, [...at, 'with', name], value)
      : setValue(document, at, { from: written, with: { [name]: value } });
  return fix(`Give "${name}" a value`, edits);
};

const FIXES: Readonly<Record<string, readonly Fix[]>> = {
  RS1005: [removeDuplicate],
  RS1009: [wrapInList],
  RS1010: [removeHere],
  RS1011: [addMissingKey],
  RS1012: [writeKind],
  RS2005: [createNode],
  RS2010: [removeSugar],
  RS2013: [createBlock],
  RS2014: [createNode],
  RS2015: [createBlock],
  RS2016: [declare('workers', 'worker', AI_WORKER)],
  RS2019: [declare('context_slices', 'context slice', SLICE)],
  RS2020: [declare('pools', 'pool', { keys: ['default'] })],
  RS2053: [declare('commands', 'command', ['true'])],
  RS2055: [removeHere],
  RS2060: [removeHere],
  RS2061: [addArgument],
  RS2070: [makeClear],
  RS4002: [addFailDefault],
  RS4003: [removeHere],
  RS4005: [removeRow],
  RS4006: [removeHere],
  RS4010: [removeHere],
  RS4011: [addFailDefault],
  RS4014: [removeHere],
};

const isBefore = (left: Position, right: Position): boolean =>
  left.line < right.line || (left.line === right.line && left.character < right.character);

function fixesOf(project: ManifestProject, document: ManifestDocument, diagnostic: Diagnostic): readonly QuickFix[] {
  const span = spanOfDiagnostic(document, diagnostic);
  const node = nodeAt(document, span.from);
  if (node === undefined) return [];
  const path = pathOf(node);
  const finding: Finding = { project, document, diagnostic, path };
  return [replaceByNear, ...(FIXES[diagnostic.code] ?? [])]
    .flatMap((make) => make(finding))
    .map((made) => ({ ...made, code: diagnostic.code }));
}

/** Returns the quick fixes of all diagnostics that overlap a range of a manifest file. */
export function quickFixes(
  project: ManifestProject,
  file: string,
  range: { readonly start: Position; readonly end: Position },
): readonly QuickFix[] {
  const document = project.document(file);
  if (document === null) return [];
  return project.diagnostics
    .filter((diagnostic) => diagnostic.file === file)
    .filter((diagnostic) => {
      const { start, end } = document.rangeOf(spanOfDiagnostic(document, diagnostic));
      return !isBefore(range.end, start) && !isBefore(end, range.start);
    })
    .flatMap((diagnostic) => fixesOf(project, document, diagnostic));
}
