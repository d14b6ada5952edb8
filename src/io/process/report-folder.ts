import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '#protocol/message-of.ts';
import { REPORT_FOLDER, REPORT_FOLDER_NAME, type ReportFile, type ReportRequest } from '#protocol/report-files.ts';
import type { ProcessRequest, ProcessResult } from '#protocol/services.ts';
import { globInside } from '../files/glob-inside.ts';
import { allowedEnvironment } from './environment.ts';

/** The maximum size of one report, and of all reports of a process together, in bytes. */
const LARGEST_FILE = 32 * 1024 * 1024;
const LARGEST = 128 * 1024 * 1024;
const MOST_FILES = 10_000;

/** The variable that lists what was added to other variables, as JSON, so that a reporter can remove it. */
const ADDED = 'ROBOSMITH_ADDED';

/** Creates a redactor, which removes secrets from a text in which each character is a byte. */
type MakeRedactor = () => { next(part: string): string; rest(): string };

/** Matches the files that are reports. Python leaves its compiled modules in the folder. */
const IS_REPORT = /\.(?:jsonl|xml|trx|tap)$/;

const TEXT_ENCODINGS: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** Matches the encoding that an XML document declares. */
const DECLARED = /^<\?xml[^>]{0,100}encoding=["']([\w.-]{1,40})["']/;

/** Decodes a text by its byte order mark, else by the encoding of its XML declaration, else as UTF-8. */
function decodeText(bytes: Uint8Array): string {
  const marked = TEXT_ENCODINGS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
  const declared = DECLARED.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1'))?.[1];
  try {
    return new TextDecoder(marked ?? declared ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function redacted(bytes: Buffer, makeRedactor: MakeRedactor | null): Buffer {
  if (makeRedactor === null) return bytes;
  const redactor = makeRedactor();
  const text = redactor.next(bytes.toString('latin1'));
  return Buffer.from(text + redactor.rest(), 'latin1');
}

/** Returns the files of a folder and of its subfolders. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

const isForeign = (name: string): boolean => name === 'node_modules' || name === '.git';

/** Returns the time of the last change of the files below a root that match, by path. */
async function changeTimes(root: string, globs: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  if (globs.length === 0) return times;
  const real = await realpath(root);
  for (const glob of globs)
    for await (const name of globInside(real, glob, isForeign)) {
      const file = path.join(real, name);
      const found = await stat(file).catch(() => null);
      if (found !== null && times.size < MOST_FILES) times.set(file, found.mtimeMs);
    }
  return times;
}

/** Returns the request for a process whose reports go into the folder. */
function requestIn(
  folder: string,
  request: Omit<ProcessRequest, 'reports'>,
  { variables }: ReportRequest,
  environment: Readonly<Record<string, string | undefined>>,
): ProcessRequest {
  const fill = (text: string): string => text.replaceAll(REPORT_FOLDER, folder);
  const [program, ...args] = request.argv;
  const parent = allowedEnvironment(environment, request.envNames ?? [], process.platform);
  const added = variables.map(({ name, text, separator }) => {
    const own = request.env?.[name] ?? parent[name] ?? '';
    const between = own === '' ? '' : separator === 'path' ? path.delimiter : ' ';
    return { name, text: fill(text), value: `${fill(text)}${between}${own}` };
  });
  const names = JSON.stringify(Object.fromEntries(added.map(({ name, text }) => [name, text])));
  const { sandbox } = request;
  return {
    ...request,
    ...(sandbox === undefined ? {} : { sandbox: { ...sandbox, state: [...sandbox.state, folder] } }),
    argv: [program, ...args.map(fill)],
    env: {
      ...request.env,
      ...Object.fromEntries(added.map(({ name, value }) => [name, value])),
      ...(added.length === 0 ? {} : { [ADDED]: names }),
    },
  };
}

/** Reads the files that the process has written, within the limits. */
async function readAll(
  files: readonly { readonly file: string; readonly name: string }[],
  makeRedactor: MakeRedactor | null,
): Promise<readonly ReportFile[]> {
  const reports: ReportFile[] = [];
  let room = LARGEST;
  for (const { file, name } of files.slice(0, MOST_FILES))
    try {
      const { size } = await stat(file);
      room -= size;
      if (size > LARGEST_FILE || room < 0) reports.push({ name, problem: `it has ${size} bytes, which is too large` });
      else reports.push({ name, text: decodeText(redacted(await readFile(file), makeRedactor)) });
    } catch (thrown) {
      reports.push({ name, problem: messageOf(thrown) });
    }
  return reports;
}

/** Runs a process with the report folder that the request asks for. The folder is removed afterwards. */
export async function withReportFolder(
  request: ProcessRequest,
  makeRedactor: MakeRedactor | null,
  environment: Readonly<Record<string, string | undefined>>,
  run: (request: ProcessRequest) => Promise<ProcessResult>,
): Promise<ProcessResult> {
  const { reports, ...rest } = request;
  if (reports === undefined) return run(request);
  const made = await realpath(await mkdtemp(path.join(tmpdir(), REPORT_FOLDER_NAME)));
  const folder = made.replaceAll('\\', '/');
  try {
    for (const [name, text] of Object.entries(reports.files)) {
      await mkdir(path.dirname(path.join(made, name)), { recursive: true });
      await writeFile(path.join(made, name), text.replaceAll(REPORT_FOLDER, folder));
    }
    const own = new Set(await filesBelow(made));
    const before = await changeTimes(request.cwd, reports.written);
    const result = await run(requestIn(folder, rest, reports, environment));
    const after = await changeTimes(request.cwd, reports.written);
    const written = [...after].filter(([file, time]) => before.get(file) !== time).map(([file]) => file);
    const named = [
      ...(await filesBelow(made))
        .filter((file) => !own.has(file) && IS_REPORT.test(file))
        .map((file) => ({ file, root: made })),
      ...written.map((file) => ({ file, root: request.cwd })),
    ].map(({ file, root }) => ({ file, name: path.relative(root, file).replaceAll('\\', '/') }));
    return { ...result, reports: await readAll(named, makeRedactor) };
  } finally {
    await rm(made, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}
