/** What a common wrong word stands for in a manifest. */
export interface RightWord {
  /** The word to write instead; null if there is none. */
  readonly near: string | null;
  /** A sentence without its full stop that says what to do, if no word can be written instead. */
  readonly remedy?: string;
  /** Members to write beside the right word, for example the preset of an agent. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** The place of a word: a key, the `worker` of a block, the `kind` of a worker, or the target of a row in `on`. */
type WordPlace = 'key' | 'worker' | 'kind' | 'target';

type Row = readonly [right: string | RightWord, wrong: readonly string[]];

const agent = (preset: string): RightWord => ({ near: 'agent', beside: { preset } });

const LAND: RightWord = {
  near: null,
  remedy: 'Merging is `robosmith land`, after the run; end the workflow before it, for example with a person who looks',
};

/** Common wrong words, in small letters without punctuation. A name that is similar to a right one needs no row. */
const WRONG_WORDS: Readonly<Record<WordPlace, readonly Row[]>> = {
  key: [
    ['contract', ['prompt', 'instructions', 'instruction', 'task', 'description']],
    ['onSuccess', ['success', 'next', 'then']],
    ['onFailure', ['failure', 'error', 'else', 'onerror']],
    ['timeout_ms', ['timeout']],
    ['artifact', ['files', 'file']],
    ['recovery', ['retry', 'retries']],
    ['to', ['goto', 'target', 'jump', 'block', 'next', 'then']],
    ['at_most', ['max', 'limit', 'times', 'attempts', 'maxvisits', 'maxattempts']],
    ['all', ['fork', 'parallel']],
    ['condition', ['if', 'when']],
  ],
  worker: [
    ['Internal:ManualIntervention', ['human', 'person', 'manual', 'approval', 'approve', 'gate', 'user']],
    ['Internal:TestRunner', ['test', 'tests', 'runtests']],
    ['Internal:RunLinter', ['lint', 'linter']],
    ['Internal:RunBuilder', ['build', 'builder']],
    ['Internal:Command', ['shell', 'bash', 'exec', 'run', 'script']],
    ['Internal:GitCommit', ['commit']],
    ['Internal:PullRequest', ['pr', 'mergerequest']],
    ['Internal:Verdict', ['vote', 'join', 'count']],
    [LAND, ['merge', 'gitmerge', 'automerge', 'land']],
  ],
  kind: [
    [agent('claude'), ['claude', 'claudecode']],
    [agent('codex'), ['codex']],
    [agent('gemini'), ['gemini', 'geminicli']],
    ['ai', ['llm', 'model', 'openai', 'anthropic', 'google', 'chat']],
    ['command', ['shell', 'bash', 'exec', 'process', 'script']],
    ['module', ['js', 'javascript', 'typescript', 'function']],
    ['scripted', ['fake', 'mock', 'answers']],
  ],
  target: [
    ['done', ['return', 'end', 'finish', 'finished', 'stop', 'exit', 'success']],
    ['person', ['human', 'halt', 'wait', 'ask', 'user', 'flag', 'manual']],
  ],
};

/** Returns a word in small letters without punctuation and without the prefix of a worker. */
const bareWord = (word: string): string =>
  word
    .replace(/^(?:Worker|Internal):/, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

/**
 * Returns what a common wrong word stands for, or null if it is none. `allowed` lists the words that can be written
 * there, if that depends on the place.
 */
export function rightWord(place: WordPlace, word: string, allowed: readonly string[] | null = null): RightWord | null {
  const bare = bareWord(word);
  for (const [right, wrong] of WRONG_WORDS[place]) {
    const found = typeof right === 'string' ? { near: right } : right;
    const isAllowed = allowed === null || (found.near !== null && allowed.includes(found.near));
    if (isAllowed && wrong.includes(bare)) return found;
  }
  return null;
}
