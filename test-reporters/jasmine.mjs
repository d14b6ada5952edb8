import { createRequire } from 'node:module';

const { openReport, restoreEnvironment } = createRequire(import.meta.url)('./record.cjs');

restoreEnvironment();
const report = openReport('jasmine');
const suites = [];

const errorsOf = ({ failedExpectations = [] }, name) => {
  for (const { message, stack } of failedExpectations) report.error({ name, message, stack });
};

jasmine.getEnv().addReporter({
  suiteStarted: ({ description }) => void suites.push(description),
  suiteDone: (suite) => {
    errorsOf(suite, [...suites]);
    suites.pop();
  },
  specDone: ({ description, status, filename, failedExpectations: [first] = [] }) => {
    const kind = status === 'passed' || status === 'failed' ? status : 'skipped';
    report.test(kind, [...suites, description], { file: filename, message: first?.message, stack: first?.stack });
  },
  jasmineDone: (result) => {
    errorsOf(result);
    report.end();
  },
});
