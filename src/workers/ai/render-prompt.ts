import type { GraphBlock } from '#protocol/graph.ts';
import type { Prompt, PromptSegment } from '#protocol/prompt.ts';
import { FAIL_DEFAULT, FAILURE } from '#protocol/signal.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { counted, cutToFit, tokensOf } from './cut-prompt.ts';
import { dataFence } from './data-fence.ts';
import {
  type AnswerForm,
  artifactPieces,
  contractPieces,
  inheritedPieces,
  payloadPieces,
  type PromptPiece,
  rulesPieces,
  systemPieces,
} from './prompt-pieces.ts';

/**
 * The closing message of a prompt that would otherwise end with the model's own turn. Models continue such a turn, and
 * some providers reject it.
 */
const GO_ON = 'Do what your task says.';

const goOn: PromptPiece = { layer: 1, name: 'go on', role: 'user', text: GO_ON, content: null, with: () => GO_ON };

/**
 * The opening message of a prompt that would otherwise begin with an assistant turn, because earlier segments were not
 * selected or were cut.
 */
const BEFORE = 'Your earlier answers follow.';

const before: PromptPiece = { layer: 1, name: 'before', role: 'user', text: BEFORE, content: null, with: () => BEFORE };

const withOpening = (pieces: readonly PromptPiece[]): readonly PromptPiece[] => {
  const at = pieces.findIndex(({ role }) => role !== 'system');
  return pieces[at]?.role === 'assistant' ? pieces.toSpliced(at, 0, before) : pieces;
};

const textsOf = ({ payload, artifact, contract, inherited }: BlockMemory): readonly string[] => [
  ...payload.map(({ content }) => content),
  ...artifact.files.map(({ content }) => content ?? ''),
  JSON.stringify([artifact.slices, contract, inherited]),
];

function piecesOf(memory: BlockMemory, form: AnswerForm): readonly PromptPiece[] {
  const fence = dataFence(textsOf(memory));
  const said = payloadPieces(memory, fence);
  const payload = said.at(-1)?.role === 'user' ? said : [...said, goOn];
  return [
    ...contractPieces(memory, form, fence),
    ...rulesPieces(form.projectRules ?? null),
    ...inheritedPieces(memory),
    ...artifactPieces(memory, fence),
    ...payload,
    ...systemPieces(memory),
  ];
}

const sum = (segments: readonly PromptSegment[], layer: number): number =>
  segments.reduce((total, segment) => total + (segment.layer === layer ? segment.tokens : 0), 0);

/**
 * Returns the meanings of the signals in a block's table, and whether the table has a default row. If a signal has
 * several meanings, they are joined. FAILURE has the meaning of the default row unless it has a row of its own.
 */
export function choicesOf({ transitions }: GraphBlock): Required<Pick<AnswerForm, 'hasDefault' | 'meanings'>> {
  const meanings = new Map<string, string>();
  for (const { signal, means } of transitions) {
    const before = meanings.get(signal);
    if (means !== undefined && before !== means)
      meanings.set(signal, before === undefined ? means : `${before}; or: ${means}`);
  }
  const rest = meanings.get(FAIL_DEFAULT);
  if (rest !== undefined && !transitions.some(({ signal }) => signal === FAILURE)) meanings.set(FAILURE, rest);
  return { hasDefault: transitions.some(({ signal }) => signal === FAIL_DEFAULT), meanings };
}

type Rendered =
  | { readonly ok: true; readonly prompt: Prompt }
  /**
   * Returned if the prompt does not fit: `needed` is the number of tokens that can't be left out, and `limit` is the
   * maximum.
   */
  | { readonly ok: false; readonly needed: number; readonly limit: number };

/**
 * Renders a block's memory as a chat. The order suits the providers' prompt caches: layers 2 and 3 (contract, static
 * memory) are the system message, layer 4 (artifacts) opens the turns, layer 1 (payload) follows, and layer 5 (position
 * in the run) ends the last turn. `limit` is the maximum number of tokens, or null if unknown.
 */
export function renderPrompt(memory: BlockMemory, form: AnswerForm, limit: number | null): Rendered {
  const pieces = piecesOf(memory, form);
  const fitted = limit === null ? { pieces, cut: [] } : cutToFit(pieces, limit - tokensOf(BEFORE));
  if (fitted === null) {
    const needed = pieces.filter(({ layer }) => layer === 2).reduce((all, { text }) => all + tokensOf(text), 0);
    return {
      ok: false,
      needed: needed + tokensOf(pieces.findLast(({ layer }) => layer === 1)?.text ?? ''),
      limit: limit ?? 0,
    };
  }
  const segments = withOpening(fitted.pieces).map(counted);
  const tokens = [1, 2, 3, 4, 5].map((layer) => sum(segments, layer)) as [number, number, number, number, number];
  return { ok: true, prompt: { segments, cut: fitted.cut, tokens } };
}
