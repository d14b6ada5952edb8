import { type GgufTensor, type GgufValue, ggufBytes } from './gguf-bytes.ts';
import { seededRandom } from '../support/seeded-random.ts';

const WIDTH = 64;
const INNER = 128;
const LAYERS = 2;
const HEADS = 4;
/** The context size in tokens. A token is little more than one letter, and a prompt has several thousand letters. */
const CONTEXT = 8_192;

const KIND = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;
const LETTERS = ' abcdefghijklmnopqrstuvwxyz0123456789{}[]",.:_-/#()=\n';

const TEMPLATE =
  "{% for message in messages %}{{ '<' + message['role'] + '>\\n' + message['content'] + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<assistant>\\n' }}{% endif %}";

/** Returns a vocabulary of letters and single bytes, so that every text can be tokenised. */
function vocabulary() {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const letters = Array.from(LETTERS, (letter) => (letter === ' ' ? '▁' : letter));
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...letters];
  const kinds = [
    ...[KIND.unknown, KIND.control, KIND.control],
    ...bytes.map(() => KIND.byte),
    ...letters.map(() => KIND.normal),
  ];
  return { tokens, kinds, scores: kinds.map((kind, index) => (kind === KIND.normal ? -index : 0)) };
}

const uint32 = (value: number): GgufValue => ({ as: 'uint32', value });
const string = (value: string): GgufValue => ({ as: 'string', value });

function metadata(): Readonly<Record<string, GgufValue>> {
  const { tokens, kinds, scores } = vocabulary();
  return {
    'general.architecture': string('llama'),
    'general.name': string('tiny'),
    'llama.vocab_size': uint32(tokens.length),
    'llama.context_length': uint32(CONTEXT),
    'llama.embedding_length': uint32(WIDTH),
    'llama.block_count': uint32(LAYERS),
    'llama.feed_forward_length': uint32(INNER),
    'llama.attention.head_count': uint32(HEADS),
    'llama.attention.head_count_kv': uint32(HEADS),
    'llama.attention.layer_norm_rms_epsilon': { as: 'float32', value: 1e-5 },
    'llama.rope.dimension_count': uint32(WIDTH / HEADS),
    'tokenizer.ggml.model': string('llama'),
    'tokenizer.ggml.tokens': { as: 'strings', value: tokens },
    'tokenizer.ggml.scores': { as: 'float32s', value: scores },
    'tokenizer.ggml.token_type': { as: 'int32s', value: kinds },
    'tokenizer.ggml.unknown_token_id': uint32(0),
    'tokenizer.ggml.bos_token_id': uint32(1),
    'tokenizer.ggml.eos_token_id': uint32(2),
    'tokenizer.ggml.add_bos_token': { as: 'bool', value: true },
    'tokenizer.ggml.add_space_prefix': { as: 'bool', value: false },
    'tokenizer.chat_template': string(TEMPLATE),
  };
}

const LAYER: readonly (readonly [name: string, shape: readonly number[]])[] = [
  ['attn_norm', [WIDTH]],
  ['attn_q', [WIDTH, WIDTH]],
  ['attn_k', [WIDTH, WIDTH]],
  ['attn_v', [WIDTH, WIDTH]],
  ['attn_output', [WIDTH, WIDTH]],
  ['ffn_norm', [WIDTH]],
  ['ffn_gate', [WIDTH, INNER]],
  ['ffn_up', [WIDTH, INNER]],
  ['ffn_down', [INNER, WIDTH]],
];

/**
 * Returns a valid model file of half a megabyte with the llama architecture and random weights. It generates nonsense,
 * but with real inference.
 */
export function tinyModel(seed: number): Buffer {
  const random = seededRandom(seed);
  // A sum of uniform numbers approximates a normal distribution and is the same on every machine.
  const bell = (): number => random() + random() + random() + random() - 2;
  const tensor = (name: string, shape: readonly number[]): GgufTensor => {
    const spread = name.startsWith('blk.') ? 0.3 : 1;
    const weight = name.endsWith('norm.weight') ? () => 1 : () => bell() * spread;
    return { name, shape, weights: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, weight) };
  };
  const embedding = [WIDTH, vocabulary().tokens.length];
  const layers = Array.from({ length: LAYERS }, (_, layer) =>
    LAYER.map(([name, shape]) => tensor(`blk.${String(layer)}.${name}.weight`, shape)),
  ).flat();
  return ggufBytes(metadata(), [
    tensor('token_embd.weight', embedding),
    tensor('output_norm.weight', [WIDTH]),
    tensor('output.weight', embedding),
    ...layers,
  ]);
}
