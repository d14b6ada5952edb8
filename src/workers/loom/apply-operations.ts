import type { Access } from '#protocol/graph.ts';
import type { Outbound } from '#protocol/outbound.ts';
import type { FileBytes, Files, FilesToWrite } from '#protocol/services.ts';
import { type WriteRefusal, writeService, type WriteService } from '../writing/write-service.ts';
import type { NumberedOperation } from './operation.ts';
import { planFile } from './plan-file.ts';
import { type LoomProblem, problem } from './problem.ts';
import { decode, encode, type Encoding } from './text-file.ts';

/** Maximum size of a file in bytes. */
const LARGEST = 100_000_000;

export interface AppliedFile {
  readonly path: string;
  readonly status: 'edited' | 'created' | 'unchanged';
  readonly edits: number;
  /** The number of operations whose result the file already contained. */
  readonly alreadyThere: number;
  /** The file's text before the edits, with its byte order mark, or null if the file did not exist. */
  readonly before: string | null;
  readonly after: string;
}

export type Application =
  | { readonly ok: true; readonly files: readonly AppliedFile[] }
  | { readonly ok: false; readonly problems: readonly LoomProblem[] };

interface EditedFile extends AppliedFile {
  readonly encoding: Encoding;
  readonly hash: string | null;
}

type Outcome = { readonly edited: EditedFile } | { readonly problems: readonly LoomProblem[] };

const NEW: Encoding = { name: 'utf-8', bom: false };

const of = (problems: readonly LoomProblem[]): Outcome => ({ problems });

function missing(operations: readonly NumberedOperation[]): LoomProblem | null {
  const other = operations.find(({ op }) => op !== 'append');
  return other === undefined
    ? null
    : problem('file_not_found', other, `the file does not exist, and only append can create it, not ${other.op}`);
}

/** Returns the text of a file to edit; null for a new file, to which all operations append; or a problem. */
function textOf(
  found: FileBytes,
  operations: readonly NumberedOperation[],
): { readonly text: string; readonly encoding: Encoding; readonly hash: string } | null | LoomProblem {
  const [first] = operations;
  const about = { number: first?.number ?? null, path: first?.path ?? null };
  if (found.kind === 'too_large')
    return problem('file_too_large', about, `it has ${found.size} bytes, more than the limit of ${LARGEST}`);
  if (found.kind === 'missing') return missing(operations);
  const decoded = decode(found.bytes);
  return decoded.ok ? { ...decoded, hash: found.hash } : problem(decoded.code, about, decoded.message);
}

async function planOne(files: Files, operations: readonly NumberedOperation[]): Promise<Outcome> {
  const path = operations[0]?.path ?? '';
  const found = textOf(await files.readBytes(path, LARGEST), operations);
  if (found !== null && 'code' in found) return of([found]);
  const { text: before, encoding, hash } = found ?? { text: '', encoding: NEW, hash: null };
  const plan = planFile(before, operations);
  if (plan.kind === 'refused') return of(plan.problems);
  const [after, edits] = plan.kind === 'changed' ? [plan.text, plan.edits] : [before, 0];
  const status = plan.kind === 'unchanged' ? 'unchanged' : found === null ? 'created' : 'edited';
  const alreadyThere = operations.length - edits;
  return { edited: { path, status, edits, alreadyThere, before: found?.text ?? null, after, encoding, hash } };
}

const asProblem = (operations: readonly NumberedOperation[], { code, path, reason }: WriteRefusal): LoomProblem =>
  problem(code, { number: operations.find((one) => one.path === path)?.number ?? null, path }, reason);

/** Groups operations by the real path of their file, since two paths may lead to the same file. */
async function byFile(
  operations: readonly NumberedOperation[],
  service: WriteService,
): Promise<readonly (readonly NumberedOperation[])[] | readonly LoomProblem[]> {
  const groups = new Map<string, NumberedOperation[]>();
  const refused: LoomProblem[] = [];
  for (const operation of operations) {
    const found = await service.locate(operation.path);
    if ('reason' in found) refused.push(asProblem([operation], found));
    else groups.set(found.real, [...(groups.get(found.real) ?? []), operation]);
  }
  return refused.length > 0 ? refused : [...groups.values()];
}

async function keptBack(
  operations: readonly NumberedOperation[],
  outbound: Outbound | null,
): Promise<readonly LoomProblem[]> {
  const found: LoomProblem[] = [];
  for (const { number, path } of operations)
    if (outbound !== null && !(await outbound.mayLeave(path)))
      found.push(
        problem('file_ignored', { number, path }, '.vision/ignore protects its content, so no details can be reported'),
      );
  return found;
}

const isProblems = (
  groups: readonly (readonly NumberedOperation[])[] | readonly LoomProblem[],
): groups is readonly LoomProblem[] => groups.some((one) => 'code' in one);

function shown({ path, status, edits, alreadyThere, before, after, encoding }: EditedFile): AppliedFile {
  const mark = encoding.bom ? '\u{feff}' : '';
  return { path, status, edits, alreadyThere, before: before === null ? null : mark + before, after: mark + after };
}

interface Writing {
  readonly files: Files;
  readonly access: Access;
  /**
   * Restricts which files may be read. It is needed because problem reports quote lines of files and are sent to a
   * model. Null means no restriction.
   */
  readonly outbound?: Outbound | null;
  /** True to compute the result without writing it. */
  readonly dryRun?: boolean;
}

/** Applies a list of operations as one transaction: either all of them, or none with the reasons. */
export async function applyOperations(
  operations: readonly NumberedOperation[],
  { files, access, outbound = null, dryRun = false }: Writing,
): Promise<Application> {
  const service = writeService(files, access);
  // Roll back the partial writes of a killed process first: they could be mistaken for edits that are already made.
  if (!dryRun) await files.settle();
  const groups = await byFile(operations, service);
  if (isProblems(groups)) return { ok: false, problems: groups };
  const ignored = await keptBack(operations, outbound);
  if (ignored.length > 0) return { ok: false, problems: ignored };
  const outcomes: Outcome[] = [];
  for (const group of groups) outcomes.push(await planOne(files, group));
  const problems = outcomes.flatMap((outcome) => ('problems' in outcome ? outcome.problems : []));
  if (problems.length > 0) return { ok: false, problems };
  const edited = editedIn(outcomes);
  if (dryRun) return { ok: true, files: edited.map(shown) };
  let written = edited;
  const refused = await write(edited, service, async () => {
    const planned = await planAgain(groups, edited, { files, service });
    if (planned === null) return null;
    written = planned;
    return toWrite(planned);
  });
  return refused.length > 0
    ? { ok: false, problems: refused.map((one) => asProblem(operations, one)) }
    : { ok: true, files: written.map(shown) };
}

const editedIn = (outcomes: readonly Outcome[]): readonly EditedFile[] =>
  outcomes.flatMap((outcome) => ('edited' in outcome ? [outcome.edited] : []));

/** Returns the last line of a text that is not empty. */
const lastLine = (text: string): string => text.trimEnd().split(/\r?\n/).at(-1) ?? '';

/** Returns whether an operation identifies its place by text, so that the place can be found in a changed file. */
const isAnchored = (operation: NumberedOperation): boolean =>
  operation.op !== 'replaceLine' || operation.expected !== null;

/**
 * Returns whether the operations may be applied to a file that another block has changed since it was read. An appended
 * text has no anchor, so the last line of the earlier text must still be in the file.
 */
function stillHolds(operations: readonly NumberedOperation[], before: EditedFile, now: EditedFile): boolean {
  if ((before.before === null) !== (now.before === null) || !operations.every(isAnchored)) return false;
  const isAppending = operations.some(({ op }) => op === 'append');
  return !isAppending || (now.before ?? '').includes(lastLine(before.before ?? ''));
}

interface Places {
  readonly files: Files;
  readonly service: WriteService;
}

/** Plans all edits again after a file has changed. Returns null if one of their anchors no longer matches. */
async function planAgain(
  groups: readonly (readonly NumberedOperation[])[],
  before: readonly EditedFile[],
  { files, service }: Places,
): Promise<readonly EditedFile[] | null> {
  const outcomes: Outcome[] = [];
  for (const group of groups) {
    // A symbolic link that was created meanwhile must not redirect the edit to another place.
    for (const { path } of group) if ('reason' in (await service.locate(path))) return null;
    outcomes.push(await planOne(files, group));
  }
  const edited = editedIn(outcomes);
  const isHolding = edited.every((now, index) => {
    const [then, operations] = [before[index], groups[index]];
    return then !== undefined && operations !== undefined && stillHolds(operations, then, now);
  });
  return edited.length === groups.length && isHolding ? edited : null;
}

const toWrite = (edited: readonly EditedFile[]): FilesToWrite => ({
  files: edited
    .filter(({ status }) => status !== 'unchanged')
    .map(({ path, after, encoding, hash }) => ({ path, content: encode(after, encoding), expected: hash })),
  compared: edited.filter(({ status }) => status === 'unchanged').map(({ path, hash }) => ({ path, expected: hash })),
});

async function write(
  edited: readonly EditedFile[],
  service: WriteService,
  again: () => Promise<FilesToWrite | null>,
): Promise<readonly WriteRefusal[]> {
  const { files, compared } = toWrite(edited);
  return files.length === 0 ? [] : service.write(files, compared, again);
}
