import { expect, test } from 'vitest';
import { proxyFor } from '#io/providers/proxy-settings.ts';

const URL = 'https://api.x.example/v1';

test.each<readonly [object, string | null]>([
  [{ HTTPS_PROXY: 'http://user:secret@proxy.example:3128' }, 'HTTPS_PROXY (http://proxy.example:3128)'],
  [{ https_proxy: 'proxy.example:3128', HTTPS_PROXY: 'http://other:1' }, 'https_proxy (http://proxy.example:3128)'],
  [{ HTTP_PROXY: 'http://proxy:1' }, null],
  [{ HTTPS_PROXY: 'http://proxy:1', no_proxy: 'localhost, .x.example' }, null],
  [{ HTTPS_PROXY: 'http://proxy:1', NO_PROXY: '*' }, null],
  [{ HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'ax.example' }, 'HTTPS_PROXY (http://proxy:1)'],
  [{ HTTPS_PROXY: 'socks5://proxy:1' }, null],
])('the proxy of a request, without credentials: %j', (environment, proxy) => {
  expect(proxyFor(URL, environment as Readonly<Record<string, string>>)).toBe(proxy);
});
