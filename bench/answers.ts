import { readFiles } from '../src/workers/answer/read-files.ts';
import { timed } from './measure.ts';

const CODE = Array.from({ length: 60 }, (_, line) => `  const value${line} = compute(${line}, "text ${line}");\n`).join(
  '',
);

const file = (at: number): string =>
  `Now the next one, which does a little more.\n\n### \`src/part-${at}.ts\`\n\n\`\`\`ts\nexport function part${at}() {\n${CODE}}\n\`\`\`\n\n`;

/** An answer of whole files with talk between them, of about this size. */
export function answerOf(bytes: number): string {
  const files = Math.ceil(bytes / file(0).length);
  return Array.from({ length: files }, (_, at) => file(at)).join('');
}

/** Microseconds of taking the files out of an answer. */
export const readAnswerFiles = (answer: string): Promise<number> =>
  timed(() => {
    const reading = readFiles(answer, null);
    if (!reading.ok) throw new Error(reading.problems[0]?.reason);
  });

/** Its floor: the lines, each looked at once. */
export const matchLines = (answer: string): Promise<number> =>
  timed(() => {
    const marks = answer.split('\n').filter((line) => /^[ \t]*(`{3,}|~{3,})/.test(line));
    if (marks.length === 0) throw new Error('there is no fence');
  });

/** One hostile answer: nothing but fences. */
export const readFences = (bytes: number): Promise<number> => {
  const text = '```\n'.repeat(Math.ceil(bytes / 4));
  return timed(() => readFiles(text, null));
};
