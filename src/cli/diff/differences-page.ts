import {
  type GraphDifference,
  describeItem,
  differenceLines,
  type differencesMarkdown,
  groupDifferences,
  rowChange,
  summaryOf,
} from '#engine/authoring.ts';
import { DARK, escapeMarkup, LIGHT } from '#layout/index.ts';
import { KEEPS_MANIFEST } from './affected-runs.ts';
import type { AffectedRun } from '../print/json-documents.ts';

type ComparedGraphs = Parameters<typeof differencesMarkdown>[1];

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `
:root{color-scheme:light dark;${LIGHT};--gone:#b42318;--new:#1a7f37}
@media (prefers-color-scheme:dark){:root{${DARK};--gone:#f47067;--new:#57ab5a}}
body{margin:0 auto;padding:24px;max-width:960px;background:var(--page);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Ubuntu,sans-serif}
h1{font-size:20px}
h2{margin:24px 0 4px;font-size:14px}
h2 small{font-weight:400;color:var(--dim)}
h3{margin:10px 0 2px;font-size:12px;font-weight:600;color:var(--dim)}
pre{margin:0;padding:8px 12px;background:var(--lane);border:1px solid var(--hairline);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 ui-monospace,Menlo,Consolas,monospace}
del,ins,pre span{display:block;text-decoration:none}
del{color:var(--gone)}
ins{color:var(--new)}
del::before{content:"- "}
ins::before{content:"+ "}
pre span::before{content:"  "}
h3 small{font-weight:400}
`;

const TAGS = { '-': 'del', '+': 'ins', ' ': 'span' } as const;

function fieldOf(name: string, note: string | null, sides: Parameters<typeof differenceLines>[0]): string {
  const lines = differenceLines(sides).map(({ sign, text }) => `<${TAGS[sign]}>${escapeMarkup(text)}</${TAGS[sign]}>`);
  const mark = note === null ? '' : ` <small>${note}</small>`;
  return `<h3>${escapeMarkup(name)}${mark}</h3><pre>${lines.join('')}</pre>`;
}

function section(key: string, group: readonly GraphDifference[], { before, after }: ComparedGraphs): string {
  const renamed = group.find((one) => one.change === 'renamed');
  const what = renamed === undefined ? (group[0]?.change ?? '') : `renamed from ${renamed.id}`;
  const fields = group.flatMap((one) =>
    one.change === 'changed'
      ? [fieldOf(one.field, rowChange(one), one)]
      : describeItem(one, before, after).map(({ field, value }) =>
          fieldOf(
            field,
            null,
            one.change === 'added' ? { before: null, after: value } : { before: value, after: null },
          ),
        ),
  );
  return `<h2>${escapeMarkup(key)} <small>${escapeMarkup(what)}</small></h2>${fields.join('')}`;
}

const runItem = ({ run, text }: AffectedRun): string =>
  `<li><code>${escapeMarkup(run)}</code> ${escapeMarkup(text)}</li>`;

/**
 * Returns an HTML page with the differences of two manifests. The page loads no other files. The same differences
 * always give the same text.
 */
export function differencesPage(
  differences: readonly GraphDifference[],
  runs: readonly AffectedRun[],
  graphs: ComparedGraphs,
): string {
  const summary = differences.length === 0 ? 'The workflow behaves as before.' : `${summaryOf(differences)}.`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>Changes of a workflow · RoboSmith</title><style>${STYLE}</style></head>`,
    `<body><h1>Changes of the workflow</h1><p>${escapeMarkup(summary)}</p>`,
    ...(runs.length === 0
      ? []
      : [`<h2>Runs in flight</h2><p>${escapeMarkup(KEEPS_MANIFEST)}</p><ul>${runs.map(runItem).join('')}</ul>`]),
    ...[...groupDifferences(differences)].map(([key, group]) => section(key, group, graphs)),
    '</body></html>',
    '',
  ].join('\n');
}
