import type { LandingNews } from '#protocol/landing-report.ts';
import { createLiveLine } from '../clash/live-line.ts';
import { findingLine, headLines, runLine } from '../print/landing.ts';
import { styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Shows a landing while it goes on: lines that stay, and one line that is rewritten while tests run. */
export function createLandingScreen(isShown: boolean, io: CliIo) {
  const style = styleFor(io.stdout, io);
  const width = io.stdout.isTerminal ? Math.min(io.stdout.columns(), 120) : 80;
  const screen = { ...style, width };
  const live = createLiveLine(io);
  let cars: readonly string[] = [];
  let tests = '';
  let isBuilt = false;
  let timer: NodeJS.Timeout | null = null;
  const write = (lines: readonly string[]): void => {
    live.clear();
    if (isShown) for (const line of lines) io.stdout.write(`${line}\n`);
  };
  const still = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    live.clear();
  };
  return {
    hear: (news: LandingNews): void => {
      if (news.kind === 'plan') {
        cars = news.plan.cars.map(({ name }) => name);
        ({ tests } = news.plan);
        write(headLines(news.plan, news.goesOn, screen));
      } else if (news.kind === 'built') {
        write(news.conflicts.length > 0 || isBuilt ? [] : [`${screen.paint.green(screen.symbols.ok)} built together`]);
        isBuilt ||= news.conflicts.length === 0;
      } else if (news.kind === 'testing') {
        still();
        const began = performance.now();
        const show = (): void =>
          live.show(`${tests}  test run ${news.number}  ${Math.round((performance.now() - began) / 1000)} s`);
        show();
        timer = setInterval(show, 1_000);
      } else {
        still();
        write(news.kind === 'tested' ? [runLine(news.run, cars, screen)] : findingLine(news.found, screen));
      }
    },
    end: still,
  };
}
