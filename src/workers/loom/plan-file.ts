import { fitIndentation } from './fit-indentation.ts';
import { type FlatText, flatten } from './flat-text.ts';
import type { NumberedOperation, OperationOf } from './operation.ts';
import { overlaps } from './overlaps.ts';
import { placeBlock } from './place-block.ts';
import { placeInsert } from './place-insert.ts';
import { isLineThere, placeAppend, placeLine, shiftOf } from './place-line.ts';
import { type PlacedOperation, withLastBreak } from './placed.ts';
import { type LoomProblem, problem } from './problem.ts';

const isAppend = (operation: NumberedOperation): operation is NumberedOperation<OperationOf<'append'>> =>
  operation.op === 'append';

interface Joined {
  readonly operations: readonly NumberedOperation[];
  /** Returns how many operations of the original list were merged into the operation with this number. */
  readonly countOf: (number: number) => number;
}

/** Merges all appends to a file into one operation, in the order of the list. */
function joinAppends(operations: readonly NumberedOperation[]): Joined {
  const appends = operations.filter(isAppend);
  const [first, ...others] = appends;
  if (first === undefined || others.length === 0) return { operations, countOf: () => 1 };
  const content = others.reduce((before, next) => withLastBreak(before) + next.content, first.content);
  const kept = operations.filter((one) => !isAppend(one) || one === first);
  return {
    operations: kept.map((one) => (one === first ? { ...first, content } : one)),
    countOf: (number) => (number === first.number ? appends.length : 1),
  };
}

type Edit = PlacedOperation & { readonly kind: 'edit' };

type There = PlacedOperation & { readonly kind: 'there' };

export type FilePlan =
  | { readonly kind: 'unchanged' }
  /** `edits` is the number of operations that change the text; the results of all others are already there. */
  | { readonly kind: 'changed'; readonly text: string; readonly edits: number }
  | { readonly kind: 'refused'; readonly problems: readonly LoomProblem[] };

const isLineEdit = (operation: NumberedOperation): operation is NumberedOperation<OperationOf<'replaceLine'>> =>
  operation.op === 'replaceLine';

const byLine = (left: { readonly line: number }, right: { readonly line: number }): number => left.line - right.line;

function place(text: FlatText, operation: NumberedOperation): PlacedOperation {
  switch (operation.op) {
    case 'insert':
      return placeInsert(text, operation);
    case 'replaceBlock':
      return placeBlock(text, operation);
    case 'append':
      return placeAppend(text, operation);
    case 'replaceLine':
      return isLineThere(text, operation.line, operation.content)
        ? { kind: 'there', number: operation.number, from: text.lineStart(operation.line), shift: shiftOf(operation) }
        : placeLine(text, operation);
  }
}

/**
 * Returns true if this list was already applied to the text. Line numbers refer to the text before the list was
 * applied, so lines that other operations added above are taken into account. Returns false if this can't be
 * determined.
 */
function areAllThere(text: FlatText, operations: readonly NumberedOperation[]): boolean {
  const others = operations.filter((one) => !isLineEdit(one)).map((one) => place(text, one));
  const found = others.filter((one): one is There => one.kind === 'there');
  if (found.length < others.length) return false;
  const lines = operations.filter(isLineEdit).sort(byLine);
  if (lines.length === 0) return true;
  const above = found.map(({ from, shift }) => ({ line: text.lineAt(from), shift })).sort(byLine);
  let shift = 0;
  let next = 0;
  for (const edit of lines) {
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

/**
 * Applies edits to the text. New lines get the line endings of the lines around them; all other text stays unchanged.
 */
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

type RefusedPlan = FilePlan & { readonly kind: 'refused' };

type Draft = RefusedPlan | { readonly kind: 'drafted'; readonly after: FlatText; readonly made: readonly number[] };

const refused = (...problems: readonly LoomProblem[]): RefusedPlan => ({ kind: 'refused', problems });

function draft(text: FlatText, operations: readonly NumberedOperation[]): Draft {
  const placed = operations.map((one) => place(text, one));
  const problems = placed.flatMap((one) => (one.kind === 'problem' ? [one.problem] : []));
  if (problems.length > 0) return refused(...problems);
  const edits = placed.filter((one): one is Edit => one.kind === 'edit');
  const path = operations[0]?.path ?? '';
  const clashes = overlaps(edits).map(([left, right]) =>
    problem(
      'overlapping_edits',
      { number: right, path },
      `it changes the same place as operation ${left}. Combine the two into one`,
    ),
  );
  if (clashes.length > 0) return refused(...clashes);
  const { raw, flat } = apply(text, edits);
  const after = flatten(raw);
  return after.flat === flat
    ? { kind: 'drafted', after, made: edits.map(({ number }) => number) }
    : refused(
        problem('mixed_endings', { number: null, path }, 'an edit would join a "\\r" and a "\\n" to one line ending'),
      );
}

const notRepeatable = (operations: readonly NumberedOperation[]): FilePlan =>
  refused(
    problem(
      'not_repeatable',
      { number: null, path: operations[0]?.path ?? null },
      'after these edits it would be unclear whether they were already made. Use longer anchors, or put the operations with line numbers into a list of their own',
    ),
  );

/** Returns the variants of operations to try: with content converted to the file's indentation, and unchanged. */
function waysFor(text: FlatText, operations: readonly NumberedOperation[]): readonly (readonly NumberedOperation[])[] {
  const fitted = fitIndentation(operations, text.flat);
  return fitted === operations || 'unclear' in fitted ? [operations] : [fitted, operations];
}

/**
 * Returns a problem if content is indented with spaces, the file with tabs, and the level of the content is ambiguous.
 */
function unclearIn(text: FlatText, operations: readonly NumberedOperation[]): RefusedPlan | null {
  const fitted = fitIndentation(operations, text.flat);
  if (!('unclear' in fitted)) return null;
  const message =
    'the file is indented with tabs, and the spaces of the content fit no level next to its place. Indent the content with tabs';
  return refused(problem('unclear_indentation', fitted.unclear, message));
}

const isMade = (text: FlatText, operations: readonly NumberedOperation[]): boolean =>
  waysFor(text, operations).some((way) => areAllThere(text, way));

/**
 * Computes the text of a file after a list of operations. Applying the list twice must have the same result as once, so
 * operations whose result could not be recognised later are rejected.
 */
export function planFile(raw: string, list: readonly NumberedOperation[]): FilePlan {
  const { operations, countOf } = joinAppends(list);
  const text = flatten(raw);
  if (isMade(text, operations)) return { kind: 'unchanged' };
  const unclear = unclearIn(text, operations);
  if (unclear !== null) return unclear;
  for (const way of waysFor(text, operations)) {
    const drafted = draft(text, way);
    if (drafted.kind === 'refused') return drafted;
    const { after, made } = drafted;
    if (!isMade(after, operations)) continue;
    return { kind: 'changed', text: after.raw, edits: made.reduce((sum, number) => sum + countOf(number), 0) };
  }
  return notRepeatable(operations);
}
