import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { memoryKeychain } from '../support/memory-keychain.ts';
import { BLOCKS, type ExecutedBlock } from './command-blocks.ts';
import { type Snippet, SNIPPETS } from './pages.ts';
import { type State, type StateName, STATES } from './states.ts';

const KEY = 'sk-5d1f0c9e7b2a4638d0c7';

/** A proxy address where nothing listens, so that no command sends data to another machine. */
const NOWHERE = 'http://127.0.0.1:9';

const shells = SNIPPETS.filter(({ language }) => language === 'sh');
const pages = Map.groupBy(shells, ({ page }) => page);

const states = new Map<StateName, Promise<State>>();
afterAll(async () => {
  for (const state of states.values()) await (await state).at.remove();
});

function stateOf(name: StateName): Promise<State> {
  const known = states.get(name);
  if (known !== undefined) return known;
  const made = STATES[name]().then((state: State) => {
    state.at.keep();
    return state;
  });
  states.set(name, made);
  return made;
}

/** The commands of a block, without comments. */
const commandsOf = ({ text }: Snippet): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

const wordsOf = (command: string): readonly string[] =>
  (command.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** Executes a block, and returns the exit code and the messages of each command. */
async function execute(snippet: Snippet, { state, apart }: ExecutedBlock) {
  const { at, names } = await stateOf(state);
  const keychain = memoryKeychain();
  const env: Record<string, string> = { HTTPS_PROXY: NOWHERE };
  const ended: { readonly command: string; readonly code: number; readonly said: string }[] = [];
  at.restore();
  for (const command of commandsOf(snippet)) {
    const [program, ...words] = wordsOf(command);
    if (program === 'export') {
      for (const word of words) env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
      ended.push({ command, code: 0, said: '' });
      continue;
    }
    if (program !== 'robosmith') throw new Error(`${snippet.name}: it is not known how "${command}" is executed`);
    if (apart === true) at.restore();
    const named = words.map((word) => word.replace(/\b[rs]3f2a91(?:c0)?\b/, (id) => names[id] ?? id));
    const io = { keychain, env, readSecret: () => Promise.resolve(KEY) };
    const { code, out, err } = await at.as(io, ...named);
    if (existsSync(at.file('.flow/engine.lock'))) await at.robosmith('host', 'stop', '--force');
    ended.push({ command, code, said: out + err });
  }
  return ended;
}

test('every page with commands is listed with all of its blocks', () => {
  const counts = Object.fromEntries(Array.from(pages, ([page, blocks]) => [page, blocks.length]));
  expect(Object.fromEntries(Object.entries(BLOCKS).map(([page, blocks]) => [page, blocks.length]))).toEqual(counts);
});

const executed = shells.flatMap((snippet) => {
  const how = BLOCKS[snippet.page]?.[pages.get(snippet.page)?.indexOf(snippet) ?? -1];
  return how === undefined || 'reason' in how ? [] : [[snippet.name, snippet, how] as const];
});

describe.each(executed)('%s', (_name, snippet, how) => {
  test('does what it says', async () => {
    const ended = await execute(snippet, how);
    expect(ended.map(({ command, code }) => [command, code])).toEqual(
      commandsOf(snippet).map((command, index) => [command, how.codes[index]]),
    );
    for (const { command, said } of ended)
      expect([command, /✗ bug|nknown option|unknown command/.exec(said)]).toEqual([command, null]);
  });
});
