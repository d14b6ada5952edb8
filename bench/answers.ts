import { readFiles } from '../src/workers/answer/read-files.ts';
import { timed } from './measure.ts';

const CODE = Array.from({ length: 60 }, (_, line) => `  const value${line} = compute(${line}, "text ${line}");\n`).join(
  '',
);

const file = (at: number): string =>
  `Now the next one, which does a little more.\n\n### \`src/part-${at}.ts\`\n\n\`\`\`ts\nexport function part${at}() {\n${CODE}}\n\`\`\`\n\n`;

/** Returns a model answer of about this many bytes: whole files in fences, with prose between them. */
export function answerOf(bytes: number): string {
  const files = Math.ceil(bytes / file(0).length);
  return Array.from({ length: files }, (_, at) => file(at)).join('');
}

/** Measures, in microseconds, the extraction of the files from a model answer. */
export const readAnswerFiles = (answer: string): Promise<number> =>
  timed(() => {
    const reading = readFiles(answer, null);
    if (!reading.ok) throw new Error(reading.problems[0]?.reason);
  });

/** Measures, in microseconds, the floor of `readAnswerFiles`: matching each line of the answer once. */
export const matchLines = (answer: string): Promise<number> =>
  timed(() => {
    const marks = answer.split('\n').filter((line) => /^[ \t]*(`{3,}|~{3,})/.test(line));
    if (marks.length === 0) throw new Error('there is no fence');
  });

/** Measures, in microseconds, the reading of a hostile answer that consists of fences only. */
export const readFences = (bytes: number): Promise<number> => {
  const text = '```\n'.repeat(Math.ceil(bytes / 4));
  return timed(() => readFiles(text, null));
};
