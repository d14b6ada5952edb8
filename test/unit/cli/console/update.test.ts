import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Effect, Model } from '#cli/console/model.ts';
import { update } from '#cli/console/update.ts';
import type { BlockId } from '#protocol/id.ts';
import { after, anyItems, anyMessages, halt, item, modelOf, snapshot, typing, waiting } from './items.ts';

const acts = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'act' ? [effect.intended.action] : []));

const reviewed = halt('h1', { rejections_left: 1 });

describe('answers', () => {
  test('p asks for guidance, and Enter sends it', () => {
    const [asked, none] = after(modelOf([waiting('s1', [reviewed])]), typing('p'));
    expect([asked.mode.kind, none]).toEqual(['input', []]);
    const [sent, effects] = after(asked, typing('mind the cents<enter>'));
    expect(acts(effects)).toEqual([
      { kind: 'answer', halt: reviewed, answer: { verb: 'proceed', guidance: 'mind the cents' } },
    ]);
    expect([sent.mode.kind, sent.busy]).toEqual(['list', new Map([['s1', 'sending the answer']])]);
  });

  test('a rejection needs a reason', () => {
    const [asked, none] = after(modelOf([waiting('s1', [reviewed])]), typing('x  <enter>'));
    expect([asked.mode.kind === 'input' && asked.mode.fault, none]).toEqual(['The next block needs a reason.', []]);
    const [, effects] = after(asked, typing('too long<enter>'));
    expect(acts(effects)).toEqual([
      { kind: 'answer', halt: reviewed, answer: { verb: 'reject', guidance: 'too long' } },
    ]);
  });

  test('an answer that the halt does not take is refused in place, with what it takes', () => {
    const [model, effects] = after(modelOf([waiting('s1', [halt('h1')])]), typing('x'));
    expect([model.notice?.text, effects]).toEqual([
      'Review does not accept --reject <reason>. It accepts --proceed, --next, --jump <block>, --abort.',
      [],
    ]);
  });

  test('with several halts, a menu asks which one', () => {
    const other = halt('h2', { block: 'Fix__Test' as BlockId });
    const [menu] = after(modelOf([waiting('s1', [reviewed, other])]), typing('p'));
    expect(menu.mode.kind === 'menu' && menu.mode.options.map(({ label }) => label)).toEqual([
      'Report Review as done and continue',
      'Report Test as done and continue',
    ]);
    const [, effects] = after(menu, typing('<down><enter><enter>'));
    expect(acts(effects)).toEqual([{ kind: 'answer', halt: other, answer: { verb: 'proceed' } }]);
  });

  test('three times Enter by accident changes nothing: the first option is the diff', () => {
    const [, effects] = after(modelOf([waiting('s1', [reviewed])]), typing('<enter><enter><enter>'));
    expect(effects.map(({ kind }) => kind)).toEqual(['diff']);
  });

  test('abort is confirmed by y alone', () => {
    const one = modelOf([waiting('s1', [halt('h1')])]);
    const [menu] = after(one, typing('<enter>'));
    const abort = menu.mode.kind === 'menu' ? menu.mode.options.findIndex(({ label }) => label === 'End the run') : -1;
    const [asked] = after(menu, typing(`${'<down>'.repeat(abort)}<enter>`));
    expect(acts(after(asked, typing('<enter>'))[1])).toEqual([]);
    expect(acts(after(asked, typing('y'))[1])).toEqual([
      { kind: 'answer', halt: halt('h1'), answer: { verb: 'abort' } },
    ]);
  });

  test('a jump lists the blocks, which typed text filters', () => {
    const one = halt('h1');
    const [menu] = after(modelOf([waiting('s1', [one])]), [
      { kind: 'blocks', item: 's1', halt: one, blocks: ['Fix__Edit', 'Fix__Test', 'Other__Test'] },
    ]);
    const [, effects] = after(menu, typing('test<down><enter>why<enter>'));
    expect(acts(effects)).toEqual([
      { kind: 'answer', halt: one, answer: { verb: 'jump', block: 'Other__Test', guidance: 'why' } },
    ]);
  });
});

describe('outcomes', () => {
  const ready = item('s1', { group: 'waiting', state: 'ready' });

  test('a merge, a hold and a resume are confirmed by y', () => {
    const held = item('s1', { group: 'resting', state: 'held', resumes: 'session' });
    const cut = item('s1', { group: 'interrupted', state: 'interrupted', resumes: 'run' });
    const done = (one: typeof ready, keys: string) => acts(after(modelOf([one]), typing(keys))[1]);
    expect([done(ready, 'm'), done(ready, 'mn'), done(ready, 'm<esc>y'), done(ready, 'm<enter>')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(done(ready, 'my')).toEqual([{ kind: 'merge', session: 's1' }]);
    expect(done(ready, 'hy')).toEqual([{ kind: 'hold', session: 's1' }]);
    expect(done(held, 'ry')).toEqual([{ kind: 'resume', session: 's1' }]);
    expect(done(cut, 'ry')).toEqual([{ kind: 'resumeRun', run: 'r1' }]);
  });

  test('an item that is busy takes no second request', () => {
    const [model, effects] = after(modelOf([ready]), typing('mymy'));
    expect([acts(effects), model.notice?.text]).toEqual([
      [{ kind: 'merge', session: 's1' }],
      'Title of s1 is busy: merging.',
    ]);
  });

  test('a run without a session is neither merged nor held', () => {
    const run = item('r1', { session: null });
    const notes = ['m', 'h'].map((key) => after(modelOf([run]), typing(key))[0].notice?.text);
    expect(notes).toEqual([
      "Title of r1 has no session, so it can't be merged.",
      "Title of r1 has no session, so it can't be put on hold.",
    ]);
  });

  test('a refusal is shown with the next command, with the title if another item is selected', () => {
    const [busy] = after(modelOf([ready, item('s2')]), typing('my<down>'));
    const [model] = after(busy, [
      { kind: 'refused', item: 's1', why: 'It conflicts.', next: ['robosmith sessions update s1'] },
    ]);
    expect([model.notice, model.busy]).toEqual([
      { isBad: true, text: 'Title of s1: It conflicts.', next: ['robosmith sessions update s1'] },
      new Map(),
    ]);
  });
});

describe('the selection', () => {
  test('stays on its item when the order changes, and takes the next one when it is gone', () => {
    const [second] = after(modelOf([item('s1'), item('s2'), item('s3')]), typing('j'));
    expect(second.selected).toEqual({ key: 's2', at: 1 });
    const [moved] = update(second, { kind: 'read', snapshot: snapshot(item('s2'), item('s1'), item('s3')) });
    expect(moved.selected).toEqual({ key: 's2', at: 0 });
    const [gone] = update(second, { kind: 'read', snapshot: snapshot(item('s1'), item('s3')) });
    expect(gone.selected).toEqual({ key: 's3', at: 1 });
    expect(update(second, { kind: 'read', snapshot: snapshot() })[0].selected).toBeNull();
  });

  test('q, Ctrl-C and Ctrl-D quit from the list; in a dialog Ctrl-C closes it', () => {
    const one = modelOf([waiting('s1', [reviewed])]);
    const ctrl = (name: 'ctrl-c' | 'ctrl-d') => ({ kind: 'key', key: { name, text: '' } }) as const;
    const quits = [typing('q'), [ctrl('ctrl-c')], [ctrl('ctrl-d')]].map((keys) => after(one, keys)[1]);
    expect(quits).toEqual([[{ kind: 'quit' }], [{ kind: 'quit' }], [{ kind: 'quit' }]]);
    const [closed, effects] = after(one, [...typing('p'), ctrl('ctrl-c')]);
    expect([closed.mode.kind, effects]).toEqual(['list', []]);
  });
});

/** The halt of the dialog that is open. */
const dialogOf = ({ mode }: Model) =>
  mode.kind === 'input'
    ? { item: mode.item, halt: mode.halt.halt_id }
    : mode.kind === 'confirm'
      ? {
          item: mode.intended.item,
          halt: mode.intended.action.kind === 'answer' ? mode.intended.action.halt.halt_id : null,
        }
      : null;

test('whatever happens, an action was confirmed in a dialog about the same item and halt', () => {
  fc.assert(
    fc.property(anyItems, anyMessages, (items, messages) => {
      let model = modelOf(items);
      for (const message of messages) {
        const dialog = dialogOf(model);
        const [next, effects] = update(model, message);
        for (const effect of effects) {
          if (effect.kind !== 'act') continue;
          const { item: about, action } = effect.intended;
          expect(dialog).toEqual({ item: about, halt: action.kind === 'answer' ? action.halt.halt_id : null });
          expect(message).toMatchObject({
            kind: 'key',
            key: model.mode.kind === 'input' ? { name: 'enter' } : { text: 'y' },
          });
          expect(model.busy.has(about)).toBe(false);
        }
        model = next;
        const keys = model.snapshot?.items.map(({ key }) => key) ?? [];
        expect(model.selected === null ? keys.length === 0 : keys[model.selected.at] === model.selected.key).toBe(true);
      }
    }),
  );
});
