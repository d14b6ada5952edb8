import type { AiOrder } from '#protocol/ai-service.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { overspentText } from '#logic/keys/ledger.ts';
import type { KeyReport, PoolResult } from '#protocol/key-pool.ts';
import { isKeylessAlias } from '#protocol/local-server.ts';
import { type SearchedPool, missingKey, whereOf } from './missing-key.ts';

const waits = (message: string, why: 'keys' | 'quota' | 'endpoint' | 'budget', until: number | null): RoboSmithError =>
  new RoboSmithError('waits', message, { why, until });

const lineOf = ({ alias, state, why, said }: KeyReport): string =>
  `${alias}: ${state}${why === null || why === state ? '' : ` (${why})`}${said === '' ? '' : `, ${said}`}`;

/**
 * Returns the error for a call that can't be sent now: the run halts until a key is available again, or for a person.
 */
export function waitError(
  result: Extract<PoolResult, { kind: 'exhausted' | 'over_budget' }>,
  { request: { provider, baseUrl } }: AiOrder,
  lookedIn: SearchedPool,
): RoboSmithError {
  if (result.kind === 'over_budget') return waits(overspentText(result.over), 'budget', null);
  const { table, retryAt } = result;
  // If a server rejects requests without a key, the user has to add a key for it.
  const hasNone = table.every(({ alias, state }) => isKeylessAlias(alias) && state === 'invalid');
  if (hasNone) return waits(missingKey({ provider, baseUrl }, lookedIn), 'keys', null);
  const [first] = table;
  if (retryAt !== null && first !== undefined && table.every(({ why }) => why === 'endpoint'))
    return waits(`${whereOf({ provider, baseUrl })}: ${first.said}`, 'endpoint', retryAt);
  const message = `no key for ${whereOf({ provider, baseUrl })} can be used now\n${table.map(lineOf).join('\n')}`;
  return retryAt === null ? waits(message, 'keys', null) : waits(message, 'quota', retryAt);
}
