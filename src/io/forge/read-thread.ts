import { type ForgeProblem, forgeProblem } from '#protocol/forge.ts';
import type { Processes } from '#protocol/services.ts';
import { askForge, type AskForge, findForgeProgram, type ForgeCall, forgeRefusal } from './ask-forge.ts';
import type { ForgeProgram, ThreadKind } from './forge-programs.ts';
import type { ForgePlace } from './pull-request-page.ts';

/** A comment as its author wrote it. */
export interface ThreadComment {
  readonly author: string;
  /** The time as the forge prints it; empty if unknown. */
  readonly at: string;
  readonly text: string;
  /** The file and line that a review comment is about; null for other comments. */
  readonly on: string | null;
}

/** An issue or a pull request as people wrote it. Nothing in it is trusted. */
export interface Thread {
  readonly ok: true;
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly body: string;
  readonly labels: readonly string[];
  /** The comments, oldest first. */
  readonly comments: readonly ThreadComment[];
  /** The branch of a pull request; null for an issue. */
  readonly branch: string | null;
  /** True if the branch of a pull request is in another repository. */
  readonly isForeign: boolean;
}

interface ThreadOrder extends ForgeCall {
  readonly place: ForgePlace | null;
  readonly kind: ThreadKind;
  readonly number: number;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** Returns the first of these fields that is a text; else an empty text. */
const textOf = (fields: Fields, ...names: readonly string[]): string =>
  names.map((name) => fields[name]).find((one): one is string => typeof one === 'string') ?? '';

const authorOf = (fields: Fields): string => {
  const author = fieldsOf(fields['author'] ?? fields['user']);
  return textOf(author, 'login', 'username', 'name');
};

function placeOf(fields: Fields): string | null {
  const position = fieldsOf(fields['position']);
  const file = textOf(fields, 'path') || textOf(position, 'new_path', 'old_path');
  if (file === '') return null;
  const line = [fields['line'], fields['original_line'], position['new_line'], position['old_line']].find(
    (one) => typeof one === 'number',
  );
  return line === undefined ? file : `${file}:${String(line)}`;
}

function commentOf(value: unknown): readonly ThreadComment[] {
  const fields = fieldsOf(value);
  const text = textOf(fields, 'body');
  // GitLab lists its own messages ("changed the milestone") among the comments.
  if (text.trim() === '' || fields['system'] === true) return [];
  const at = textOf(fields, 'createdAt', 'created_at', 'submittedAt');
  return [{ author: authorOf(fields), at, text, on: placeOf(fields) }];
}

const labelsOf = (value: unknown): readonly string[] =>
  listOf(value)
    .map((one) => (typeof one === 'string' ? one : textOf(fieldsOf(one), 'name')))
    .filter((name) => name !== '');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

const isFork = (fields: Fields): boolean => {
  const [from, to] = [fields['source_project_id'], fields['target_project_id']];
  return fields['isCrossRepository'] === true || (from !== undefined && to !== undefined && from !== to);
};

function threadOf(out: string, lines: readonly unknown[]): Thread | null {
  const fields = fieldsOf(parsed(out));
  const number = fields['number'] ?? fields['iid'];
  if (typeof number !== 'number') return null;
  const discussions = ['Discussions', 'discussions'].flatMap((name) => listOf(fields[name]));
  const given = [
    ...['comments', 'Notes', 'notes', 'reviews'].flatMap((name) => listOf(fields[name])),
    ...discussions.flatMap((one) => listOf(fieldsOf(one)['notes'])),
  ];
  const comments = [...given, ...lines].flatMap(commentOf);
  const branch = textOf(fields, 'headRefName', 'source_branch');
  return {
    ok: true,
    number,
    title: textOf(fields, 'title'),
    author: authorOf(fields),
    url: textOf(fields, 'url', 'web_url'),
    body: textOf(fields, 'body', 'description'),
    labels: labelsOf(fields['labels']),
    comments: comments.toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)),
    branch: branch === '' ? null : branch,
    isForeign: isFork(fields),
  };
}

const nameOf = (kind: ThreadKind): string => (kind === 'issue' ? 'issue' : 'pull request');

/** Returns the comments on lines of a pull request. */
async function linesOf(
  { kind, number }: ThreadOrder,
  program: ForgeProgram,
  place: ForgePlace,
  ask: AskForge,
): Promise<readonly unknown[] | ForgeProblem> {
  if (kind === 'issue' || program.readLines === null) return [];
  const asked = await ask(program, program.readLines(place, number));
  if (asked.kind === 'failed' || !asked.ok)
    return forgeRefusal(program, asked, `the comments on pull request ${number} could not be read`);
  return listOf(parsed(asked.out));
}

/** Reads an issue or a pull request with its comments by the forge's own program, `gh` or `glab`, and its login. */
export async function readThread(processes: Processes, order: ThreadOrder): Promise<Thread | ForgeProblem> {
  const ask = askForge(processes, order);
  const found = await findForgeProgram(order.place, ask);
  if (!found.ok) return found;
  const { program, place } = found;
  const { kind, number } = order;
  const asked = await ask(program, program.read(place, kind, number));
  const what = `${nameOf(kind)} ${number} of ${place.host}/${place.path} could not be read`;
  if (asked.kind === 'failed' || !asked.ok) return forgeRefusal(program, asked, what);
  const lines = await linesOf(order, program, place, ask);
  if ('ok' in lines) return lines;
  return (
    threadOf(asked.out, lines) ??
    forgeProblem('forge_failed', `${what}: ${program.name} printed something else than JSON`)
  );
}
