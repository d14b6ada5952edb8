import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { playTutorial, TUTORIAL } from './docs/play-tutorial.ts';
import { drawTerminal } from './docs/terminal-picture.ts';

/*
 * Draws the pictures of the tutorial from a real run of its commands. Each picture shows the commands of the block
 * above it and what they printed.
 */

const ROOT = join(import.meta.dirname, '..');
const ESCAPE = String.fromCharCode(27);
const bold = (text: string): string => `${ESCAPE}[1m${text}${ESCAPE}[22m`;

const page = readFileSync(join(ROOT, TUTORIAL), 'utf8');
const labelOf = (picture: string): string => new RegExp(`!\\[([^\\]]*)\\]\\(${picture}\\)`).exec(page)?.[1] ?? '';

const { played, remove } = playTutorial({ FORCE_COLOR: '1' });
remove();
for (const [picture, commands] of Map.groupBy(played, (one) => one.picture)) {
  if (picture === null) continue;
  const text = commands.map(({ command, output }) => `${bold(`$ ${command}`)}\n${output.trimEnd()}`).join('\n\n');
  const target = join(ROOT, dirname(TUTORIAL), picture);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, drawTerminal(text, labelOf(picture)));
  console.log(target);
}
