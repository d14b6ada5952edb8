import { expect, test } from 'vitest';
import { classify } from '#logic/keys/classify.ts';
import type { AttemptFacts } from '#protocol/ai-call.ts';
import { NOON } from '../../../support/vendor-failures.ts';

const FACTS: AttemptFacts = { phase: 'connect', status: null, headers: {}, body: '', error: '', begun: false };
const answered = (status: number, body: string, error = 'MalformedAnswer'): Partial<AttemptFacts> => ({
  phase: 'answer',
  status,
  body,
  error,
});

const PAGE = '<!DOCTYPE html>\n<html lang="en"><head><title> Sign in </title></head><body>Login</body></html>';
const BASE_URL = 'Check "base_url"';

test.each<readonly [what: string, facts: Partial<AttemptFacts>, failure: string, said: string]>([
  [
    'no server',
    { error: 'ECONNREFUSED' },
    'network',
    'Nothing listens at the address (ECONNREFUSED). Start the server, or check "base_url".',
  ],
  [
    'a cut connection',
    { error: 'UND_ERR_SOCKET' },
    'network',
    `The endpoint can't be reached (UND_ERR_SOCKET). ${BASE_URL} and the network.`,
  ],
  [
    'a dead proxy',
    { error: 'ECONNREFUSED', address: 'https://api.x.example/v1', proxy: 'HTTPS_PROXY (http://127.0.0.1:9)' },
    'network',
    'Nothing listens at the proxy that HTTPS_PROXY (http://127.0.0.1:9) names (ECONNREFUSED). Start it, or correct or unset the variable.',
  ],
  [
    'an address without content',
    { ...answered(404, '', 'HttpError'), address: 'http://127.0.0.1:1/v1/chat/completions' },
    'model_not_found',
    'The endpoint http://127.0.0.1:1/v1/chat/completions answered with status 404 and no content. Check "base_url" and the name of the model.',
  ],
  [
    'a page, with its address',
    { ...answered(404, '<html>', 'HttpError'), address: 'http://127.0.0.1:1/x' },
    'model_not_found',
    `The endpoint http://127.0.0.1:1/x answered with a web page and status 404 instead of the API's JSON. ${BASE_URL}, and whether the network asks for a login.`,
  ],
  ['an unknown host', { error: 'ENOTFOUND' }, 'dns', `The host is not known (ENOTFOUND). ${BASE_URL} and the network.`],
  [
    'a certificate of its own',
    { error: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    'tls',
    'The certificate of the endpoint is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Set NODE_EXTRA_CA_CERTS to the file with the certificate of its issuer.',
  ],
  [
    'a certificate of an unknown issuer',
    { error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    'tls',
    'The certificate of the endpoint is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE). Set NODE_EXTRA_CA_CERTS to the file with the certificate of its issuer.',
  ],
  [
    'an expired certificate',
    { error: 'CERT_HAS_EXPIRED' },
    'tls',
    `The certificate of the endpoint is not valid (CERT_HAS_EXPIRED). ${BASE_URL} and the clock of this computer.`,
  ],
  [
    'a server without TLS',
    { error: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    'tls',
    'The endpoint does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER). Check whether "base_url" must begin with http://.',
  ],
  [
    'a login page',
    answered(200, PAGE),
    'malformed',
    `The endpoint answered with a web page ("Sign in") and status 200 instead of the API's JSON. ${BASE_URL}, and whether the network asks for a login.`,
  ],
  [
    'a page of a proxy',
    answered(502, '<html><body>Bad Gateway</body></html>', 'HttpError'),
    'server_error',
    `The endpoint answered with a web page and status 502 instead of the API's JSON. ${BASE_URL}, and whether the network asks for a login.`,
  ],
  [
    'no content',
    answered(204, ''),
    'malformed',
    `The endpoint answered without any content (status 204). ${BASE_URL}.`,
  ],
  [
    'an answer in one piece',
    answered(200, '{"choices":[{"message":{"content":"Done."}}]}'),
    'malformed',
    'The endpoint sent its answer in one piece instead of a stream. Add "params": { "stream": false } to the worker.',
  ],
  [
    'another protocol',
    answered(200, 'not json at all {'),
    'malformed',
    'The answer does not follow the API of the provider. It begins with: not json at all {',
  ],
  ['a message of the provider', answered(500, '{"error":{"message":"boom"}}', 'HttpError'), 'server_error', 'boom'],
])('%s is explained with what to check', (_what, facts, failure, said) => {
  expect(classify('openai-compatible', { ...FACTS, ...facts }, NOON)).toMatchObject({ class: failure, said });
});
