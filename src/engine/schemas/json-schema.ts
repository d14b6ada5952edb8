import { messageOf } from '#protocol/message-of.ts';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '#protocol/json.ts';
import { linearRegExp } from './linear-reg-exp.ts';

export type Schema = JsonObject | boolean;

// References are not inlined: that would let a small hostile schema grow to any size.
const OPTIONS = {
  allErrors: true,
  strict: false,
  logger: false,
  inlineRefs: false,
  code: { regExp: linearRegExp },
} as const;

/** The maximum length of a schema in characters. A longer one takes long to compile, and no provider accepts it. */
const LARGEST = 1_000_000;

/** The part of a draft's validator that is used. */
type Compiler = Pick<Ajv, 'compile'>;

type Draft = '07' | '2019' | '2020';

/** Returns the draft that a schema names, by default draft-07. Ajv refuses unknown ones. */
function draftOf(schema: Schema): Draft {
  const name = typeof schema === 'object' ? schema['$schema'] : undefined;
  if (typeof name !== 'string') return '07';
  if (name.includes('/draft/2020-12/')) return '2020';
  return name.includes('/draft/2019-09/') ? '2019' : '07';
}

const create = (draft: Draft): Compiler =>
  draft === '2020' ? new Ajv2020(OPTIONS) : draft === '2019' ? new Ajv2019(OPTIONS) : new Ajv(OPTIONS);

/** Compiles a schema. Throws if it is invalid. */
export function compileSchema(schema: Schema, ajv: Compiler = create(draftOf(schema))) {
  if (typeof schema === 'object' && schema['$async'] !== undefined)
    throw new Error('"$async" is not supported: an answer is checked at once');
  return ajv.compile(schema);
}

/** Rewords ajv's messages, which call the schema `data`. */
const problemOf = (message: string): string =>
  message.startsWith('schema is invalid: ')
    ? message.slice('schema is invalid: '.length).replaceAll(/(^|, )data(?=[/ ])/g, '$1')
    : message;

/**
 * Returns a function that checks schemas, and returns what is wrong, or null. Reuses validators, which are costly to
 * create.
 */
export function createSchemaCheck(): (schema: Schema) => string | null {
  const shared = new Map<Draft, Compiler>();
  const ajvFor = (schema: Schema, text: string): Compiler => {
    const draft = draftOf(schema);
    // One ajv instance accepts each `$id` only once.
    if (text.includes('"$id"')) return create(draft);
    const ajv = shared.get(draft) ?? create(draft);
    shared.set(draft, ajv);
    return ajv;
  };
  return (schema) => {
    const text = JSON.stringify(schema);
    if (text.length > LARGEST) return `it has more than ${LARGEST} characters`;
    try {
      compileSchema(schema, ajvFor(schema, text));
      return null;
    } catch (thrown) {
      return problemOf(messageOf(thrown));
    }
  };
}
