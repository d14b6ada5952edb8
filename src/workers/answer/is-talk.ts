import { LONGEST_MARK } from './answer-lines.ts';

/** Returns true if a line looks like a sentence of prose without signs of code. */
export function isTalk(line: string): boolean {
  if (line.length > LONGEST_MARK) return false;
  const text = line.trim();
  if (!/^(?:["“']|[*_]+)?[\p{Lu}\p{Lo}]/u.test(text) || /[{};=<>\\]|\)\s*$|^\w+\(/.test(text)) return false;
  const words = text.split(/\s+/).length;
  return /[.!?:。：！]["”*_]*$/.test(text) ? words >= 2 || /:$/.test(text) || /\p{Lo}/u.test(text) : words >= 8;
}

/** Matches signs of code in a line. */
const CODE =
  /[{}();=<>[\]]|^\s*(?:import|from|def|class|return|package|use|let|const|var|fn|func|fun|select|create|insert|if|for|while|end|module|require|include|export|local)\b|^\s*["']?[\w.-]+["']?\s*[:=]\s*\S|^\s*[-*]\s+\S|^\s*[#@]/i;

/** Returns true if the lines look like a file: mostly code, no prose at the beginning or end, and little in between. */
export function looksLikeCode(lines: readonly string[]): boolean {
  const written = lines.filter((line) => line.trim() !== '');
  const [first, last] = [written[0], written.at(-1)];
  if (first === undefined || last === undefined || isTalk(first) || isTalk(last)) return false;
  const code = written.filter((line) => line.length > LONGEST_MARK || CODE.test(line)).length;
  const talk = written.filter(isTalk).length;
  return code * 2 >= written.length && talk * 5 <= written.length;
}
