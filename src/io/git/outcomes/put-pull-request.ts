import { type ForgeProblem, forgeProblem } from '#protocol/forge.ts';
import type { Processes } from '#protocol/services.ts';
import { askForge, type AskForge, findForgeProgram, forgeRefusal } from '../../forge/ask-forge.ts';
import type { ForgeProgram } from '../../forge/forge-programs.ts';
import { addressIn, type PullRequestOrder } from './open-pull-request.ts';
import type { ForgePlace } from '../../forge/pull-request-page.ts';

interface PutPullRequest {
  readonly ok: true;
  readonly url: string;
  readonly number: number;
  readonly isNew: boolean;
}

interface ExistingPullRequest {
  readonly url: string;
  readonly number: number;
  readonly body: string;
}

const BEGIN = '<!-- robosmith:begin -->';
const END = '<!-- robosmith:end -->';

/**
 * Encloses a description in markers, so that an update can replace it and keep the text that people wrote around it.
 */
export const markedBody = (body: string): string =>
  `${BEGIN}\n${body.replaceAll(BEGIN, '').replaceAll(END, '')}\n${END}`;

/** Returns the body of an open pull request with the marked part replaced, or with the part added below. */
export function mergedBody(old: string, marked: string): string {
  const begin = old.indexOf(BEGIN);
  const end = old.indexOf(END, begin);
  if (begin === -1 || end === -1) return old.trim() === '' ? marked : `${old.trimEnd()}\n\n${marked}`;
  return `${old.slice(0, begin)}${marked}${old.slice(end + END.length)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function knownIn(out: string, addressKey: string): ExistingPullRequest | null {
  const list = parsed(out);
  const first: unknown = Array.isArray(list) ? list[0] : null;
  if (typeof first !== 'object' || first === null) return null;
  const fields = first as Readonly<Record<string, unknown>>;
  const url = fields[addressKey];
  const number = fields['number'] ?? fields['iid'];
  const body = fields['body'] ?? fields['description'];
  if (typeof url !== 'string' || typeof number !== 'number') return null;
  return { url, number, body: typeof body === 'string' ? body.replaceAll('\r\n', '\n') : '' };
}

const numberIn = (url: string): number | null => {
  const [, digits] = /\/(\d+)(?:[/?#]|$)/.exec(url) ?? [];
  return digits === undefined ? null : Number(digits);
};

interface Call {
  readonly program: ForgeProgram;
  readonly place: ForgePlace;
  readonly ask: AskForge;
}

async function find(
  { program, place, ask }: Call,
  order: PullRequestOrder,
): Promise<ExistingPullRequest | null | ForgeProblem> {
  const listed = await ask(program, program.findWhole(place, order));
  if (listed.kind === 'failed' || !listed.ok)
    return forgeRefusal(program, listed, 'the open pull requests could not be listed');
  return knownIn(listed.out, program.addressKey);
}

async function update(
  { program, place, ask }: Call,
  { url, number, body }: ExistingPullRequest,
  marked: string,
): Promise<PutPullRequest | ForgeProblem> {
  const wanted = mergedBody(body, marked);
  if (wanted !== body) {
    const edited = await ask(program, program.update(place, number, wanted));
    if (edited.kind === 'failed' || !edited.ok)
      return forgeRefusal(program, edited, `the pull request ${url} could not be updated`);
  }
  return { ok: true, url, number, isNew: false };
}

/**
 * Opens a pull request, or updates the description of the one that is open for these branches. Its title is left to
 * people once it is open. A second call with the same order changes nothing.
 */
export async function putPullRequest(
  processes: Processes,
  order: PullRequestOrder,
): Promise<PutPullRequest | ForgeProblem> {
  const ask = askForge(processes, order);
  const found = await findForgeProgram(order.place, ask);
  if (!found.ok) return found;
  const { program, place } = found;
  const call = { program, place, ask };
  const marked = markedBody(order.body);
  const known = await find(call, order);
  if (known !== null) return 'ok' in known ? known : update(call, known, marked);
  const made = await ask(program, program.create(place, { ...order, body: marked }));
  if (made.kind === 'failed' || !made.ok) return forgeRefusal(program, made, 'no pull request was opened');
  const url = addressIn(made.out);
  const number = url === null ? null : numberIn(url);
  if (url !== null && number !== null) return { ok: true, url, number, isNew: true };
  const listed = await find(call, order);
  if (listed !== null)
    return 'ok' in listed ? listed : { ok: true, url: listed.url, number: listed.number, isNew: true };
  return forgeProblem('forge_failed', `${program.name} did not print the address of the pull request`);
}
