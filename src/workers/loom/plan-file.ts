import { fitIndentation } from './fit-indentation.ts';
import { type FlatText, flatten } from './flat-text.ts';
import type { Numbered, Of } from './operation.ts';
import { overlaps } from './overlaps.ts';
import { placeBlock } from './place-block.ts';
import { placeInsert } from './place-insert.ts';
import { isLineThere, placeAppend, placeLine, shiftOf } from './place-line.ts';
import type { Placed } from './placed.ts';
import { type LoomProblem, problem } from './problem.ts';

type Edit = Placed & { readonly kind: 'edit' };
type There = Placed & { readonly kind: 'there' };

export type FilePlan =
  | { readonly kind: 'unchanged' }
  /** `edits`: how many; all others of the list are there already. */
  | { readonly kind: 'changed'; readonly text: string; readonly edits: number }
  | { readonly kind: 'refused'; readonly problems: readonly LoomProblem[] };

const isLineEdit = (operation: Numbered): operation is Numbered<Of<'replaceLine'>> => operation.op === 'replaceLine';

function place(text: FlatText, operation: Numbered): Placed {
  switch (operation.op) {
    case 'insert':
      return placeInsert(text, operation);
    case 'replaceBlock':
      return placeBlock(text, operation);
    case 'append':
      return placeAppend(text, operation);
    case 'replaceLine':
      return isLineThere(text, operation.line, operation.content)
        ? { kind: 'there', number: operation.number, line: operation.line, shift: shiftOf(operation) }
        : placeLine(text, operation);
  }
}

/**
 * Has this list been applied to make this text? Line numbers are those of before: what is there above a line has moved it.
 * False where that can't be known.
 */
function areAllThere(text: FlatText, operations: readonly Numbered[]): boolean {
  const others = operations.filter((one) => !isLineEdit(one)).map((one) => place(text, one));
  const found = others.filter((one): one is There => one.kind === 'there');
  if (found.length < others.length) return false;
  const above = found.sort((left, right) => left.line - right.line);
  let shift = 0;
  let next = 0;
  for (const edit of operations.filter(isLineEdit).sort((left, right) => left.line - right.line)) {
    for (let one = above[next]; one !== undefined && one.line - shift <= edit.line; one = above[next]) {
      if (one.shift === null) return false;
      shift += one.shift;
      next += 1;
    }
    if (!isLineThere(text, edit.line + shift, edit.content)) return false;
    shift += shiftOf(edit);
  }
  return true;
}

interface Applied {
  readonly raw: string;
  readonly flat: string;
}

/** Each edit's new lines end as the lines around it do; nothing else changes. */
function apply(text: FlatText, edits: readonly Edit[]): Applied {
  const raw: string[] = [];
  const flat: string[] = [];
  let done = 0;
  for (const { span, text: added } of [...edits].sort((left, right) => left.span.from - right.span.from)) {
    flat.push(text.flat.slice(done, span.from), added);
    raw.push(text.raw.slice(text.toRaw(done), text.toRaw(span.from)), added.replaceAll('\n', text.endingAt(span.from)));
    done = span.to;
  }
  return {
    raw: [...raw, text.raw.slice(text.toRaw(done))].join(''),
    flat: [...flat, text.flat.slice(done)].join(''),
  };
}

const refused = (...problems: readonly LoomProblem[]): FilePlan => ({ kind: 'refused', problems });

function planAs(text: FlatText, operations: readonly Numbered[]): FilePlan {
  const placed = operations.map((one) => place(text, one));
  const problems = placed.flatMap((one) => (one.kind === 'problem' ? [one.problem] : []));
  if (problems.length > 0) return refused(...problems);
  const edits = placed.filter((one): one is Edit => one.kind === 'edit');
  const path = operations[0]?.path ?? '';
  const clashes = overlaps(edits).map(([left, right]) =>
    problem(
      'overlapping_edits',
      { number: right, path },
      `it changes the same place as operation ${left}: make one of the two`,
    ),
  );
  if (clashes.length > 0) return refused(...clashes);
  const applied = apply(text, edits);
  return flatten(applied.raw).flat === applied.flat
    ? { kind: 'changed', text: applied.raw, edits: edits.length }
    : refused(
        problem('mixed_endings', { number: null, path }, 'an edit would make one line ending of a "\\r" and a "\\n"'),
      );
}

const notRepeatable = (operations: readonly Numbered[]): FilePlan =>
  refused(
    problem(
      'not_repeatable',
      { number: null, path: operations[0]?.path ?? null },
      'once made, these edits could not be told from edits that are still to be made: take longer anchors, or give what belongs to line numbers in a list of its own',
    ),
  );

/** What a list of operations makes of a text. An edit that it would not recognise as made, when asked again, is refused. */
export function planFile(raw: string, operations: readonly Numbered[]): FilePlan {
  const text = flatten(raw);
  const fitted = fitIndentation(operations, text.flat);
  const ways = fitted === operations ? [operations] : [fitted, operations];
  if (ways.some((way) => areAllThere(text, way))) return { kind: 'unchanged' };
  let first: FilePlan | null = null;
  for (const way of ways) {
    const plan = planAs(text, way);
    if (plan.kind !== 'changed' || isRecognised(plan.text, operations)) return plan;
    first ??= plan;
  }
  return notRepeatable(operations);
}

function isRecognised(raw: string, operations: readonly Numbered[]): boolean {
  const text = flatten(raw);
  const fitted = fitIndentation(operations, text.flat);
  return areAllThere(text, operations) || (fitted !== operations && areAllThere(text, fitted));
}
