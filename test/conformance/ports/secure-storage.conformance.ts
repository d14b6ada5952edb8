import { afterEach, expect, test } from 'vitest';
import type { SecureStorageService } from '#protocol/secure-storage.ts';

/** Tests the requirements of every keychain. `unique` is a prefix of names that nothing else uses. */
export function conformsAsSecureStorage(storage: SecureStorageService, unique: string): void {
  const [one, other] = [`${unique}-one`, `${unique}-other`];
  afterEach(async () => {
    await storage.delete(one);
    await storage.delete(other);
  });

  test('what was never kept is not there, and can not be deleted', async () => {
    expect(await storage.get(one)).toBeNull();
    expect(await storage.delete(one)).toBe(false);
  });

  test('a secret comes back to the letter, under its own name only', async () => {
    const secret = `sk-ÄÖ 漢字 "quoted" \\n ${'x'.repeat(2_000)}`;
    await storage.store(one, secret);
    expect(await storage.get(one)).toBe(secret);
    expect(await storage.get(other)).toBeNull();
  });

  test('the last one counts', async () => {
    await storage.store(one, 'sk-first');
    await storage.store(other, 'sk-other');
    await storage.store(one, 'sk-second');
    expect(await storage.get(one)).toBe('sk-second');
    expect(await storage.get(other)).toBe('sk-other');
  });

  test('what was deleted is gone', async () => {
    await storage.store(one, 'sk-first');
    expect(await storage.delete(one)).toBe(true);
    expect(await storage.get(one)).toBeNull();
    expect(await storage.delete(one)).toBe(false);
  });
}
