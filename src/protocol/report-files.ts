/** Stands for the absolute path of the report folder in the arguments of a process and in the texts of `ReportRequest`. */
export const REPORT_FOLDER = '{reports}';

/** The beginning of the folder's name. */
export const REPORT_FOLDER_NAME = 'robosmith-reports-';

/** A variable of the process that a text is added to. */
export interface AddedVariable {
  readonly name: string;
  readonly text: string;
  /** Separates the text from the variable's own value: `path` is the separator of paths of the platform. */
  readonly separator: 'path' | 'blank';
}

/** Asks for a temporary folder, outside of the working folder, for the reports that a process writes. */
export interface ReportRequest {
  /** Files that are written into the folder before the start: text by relative path. */
  readonly files: Readonly<Record<string, string>>;
  readonly variables: readonly AddedVariable[];
  /** Globs of files below the working folder that are read as well if the process has written them. */
  readonly written: readonly string[];
}

/** A file that a process has written as a report. */
export type ReportFile = {
  /** The path relative to the report folder or to the working folder, with `/`. */
  readonly name: string;
} & ({ readonly text: string } | { readonly problem: string });
