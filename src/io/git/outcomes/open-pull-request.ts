import type { Processes } from '#protocol/services.ts';
import { askForge, type ForgeCall, programFor, reasonOf } from '../../forge/ask-forge.ts';
import type { PullRequestText } from '../../forge/forge-programs.ts';
import type { ForgePlace } from '../../forge/pull-request-page.ts';

export interface PullRequestOrder extends PullRequestText, ForgeCall {
  /** The forge that the remote belongs to; null if it belongs to none. */
  readonly place: ForgePlace | null;
}

type PullRequest =
  /** `isNew` is false if the pull request was already open. */
  | { readonly kind: 'open'; readonly url: string; readonly isNew: boolean }
  /** `why` is the reason for a failure, as a message for people. */
  | { readonly kind: 'not_opened'; readonly why: string };

/** Returns the last URL in a text. The program describes its progress before that. */
export const addressIn = (text: string): string | null => text.match(/https?:\/\/[^\s\p{Cc}"'<>]+/gu)?.at(-1) ?? null;

function listedAddress(out: string, key: string): string | null {
  try {
    const list: unknown = JSON.parse(out);
    const first: unknown = Array.isArray(list) ? list[0] : null;
    const found: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, key) : null;
    return typeof found === 'string' ? addressIn(found) : null;
  } catch {
    return null;
  }
}

/**
 * Opens a pull request with the forge's own program, `gh` or `glab`, and its own login: without a shell, without
 * prompts and with a timeout. If one is already open for these branches, it is returned. A failure is returned as
 * `not_opened` and changes nothing else.
 */
export async function openPullRequest(processes: Processes, order: PullRequestOrder): Promise<PullRequest> {
  const { place } = order;
  const notOpened = (why: string): PullRequest => ({ kind: 'not_opened', why });
  if (place === null) return notOpened('its remote is not on a host that supports pull requests');
  const ask = askForge(processes, order);
  const program = await programFor(place, ask);
  if (program === null)
    return notOpened(`no program is logged in to ${place.host}. Install gh or glab, and log in with it`);
  const { name } = program;
  const made = await ask(program, program.create(place, order));
  if (made.kind === 'failed') return notOpened(made.why);
  const url = made.ok ? addressIn(made.out) : null;
  if (url !== null) return { kind: 'open', url, isNew: true };
  const listed = await ask(program, program.find(place, order));
  const known = listed.kind === 'ended' && listed.ok ? listedAddress(listed.out, program.addressKey) : null;
  if (known !== null) return { kind: 'open', url: known, isNew: made.ok };
  return notOpened(
    made.ok ? `${name} did not print the address of the pull request` : `${name} refused: ${reasonOf(made.said)}`,
  );
}
