import { applyEdits } from '#engine/authoring.ts';

/*
 * `loom-editors.ts <folder> <first> <count>`: runs `count` concurrent editors. Each inserts a line into the file `a`
 * and tries again if the file has changed. Prints the number of repeated tries.
 */
const [, , folder = '', first = '0', count = '0'] = process.argv;
const MOST_TRIES = 1_000;
let lost = 0;

async function edit(number: number): Promise<void> {
  const operation = { op: 'insert', path: 'a', anchor: 'top', content: `editor ${number};` };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const applied = await applyEdits(JSON.stringify(operation), folder, false);
    if (applied.ok) return;
    if (applied.problems.some(({ code }) => code !== 'content_changed'))
      throw new Error(JSON.stringify(applied.problems));
    lost += 1;
  }
  throw new Error('it changed all the time');
}

await Promise.all(Array.from({ length: Number(count) }, (_, index) => edit(Number(first) + index)));
process.stdout.write(String(lost));
