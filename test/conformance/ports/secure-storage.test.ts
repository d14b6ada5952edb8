import { describe, expect, test } from 'vitest';
import { osKeychain } from '#io/keys/os-keychain.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import { verifies } from '../../e2e/verifies.ts';
import { memoryKeychain } from '../../support/memory-keychain.ts';
import { conformsAsSecureStorage } from './secure-storage.conformance.ts';

const unique = `robosmith-test-${process.pid}-${Date.now()}`;

/** The reason why this machine's keychain can't be used; null if it can. */
const unreachable: unknown = await osKeychain.get(unique).then(
  () => null,
  (thrown: unknown) => thrown,
);

describe('the keychain of the tests', () => conformsAsSecureStorage(memoryKeychain(), unique));

describe.skipIf(unreachable !== null)(
  `the keychain of the system${unreachable === null ? '' : ` (skipped: ${messageOf(unreachable)})`}`,
  () => conformsAsSecureStorage(osKeychain, unique),
);

test.skipIf(unreachable === null)('without a keychain it says so, and what to do', async () => {
  verifies('workers.pool.keychain');
  for (const work of [osKeychain.get(unique), osKeychain.store(unique, 'sk-x'), osKeychain.delete(unique)]) {
    const thrown: unknown = await work.catch((error: unknown) => error);
    expect(RoboSmithError.is(thrown, 'no_keychain')).toBe(true);
    expect(messageOf(thrown)).toContain('environment variable');
  }
});
