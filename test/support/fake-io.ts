import type { CliIo, Screen } from '#cli/terminal/cli-io.ts';

export interface FakeIo extends CliIo {
  /** Returns the text that was written so far. */
  readonly out: () => string;
  readonly err: () => string;
}

/**
 * Creates the input and output of a command line without a process: output is recorded, and questions can't be
 * answered.
 */
export function fakeIo(overrides: Partial<CliIo> & { readonly terminal?: boolean } = {}): FakeIo {
  const written = { out: '', err: '' };
  const screen = (name: 'out' | 'err'): Screen => ({
    isTerminal: overrides.terminal ?? false,
    columns: () => 80,
    write: (text) => {
      written[name] += text;
    },
  });
  return {
    cwd: process.cwd(),
    env: {},
    platform: 'linux',
    nodeVersion: '24.0.0',
    interactive: false,
    readSecret: () => Promise.resolve(''),
    stdout: screen('out'),
    stderr: screen('err'),
    onInterrupt: () => () => undefined,
    ...overrides,
    out: () => written.out,
    err: () => written.err,
  };
}
