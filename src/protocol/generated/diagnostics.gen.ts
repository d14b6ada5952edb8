export type DiagnosticCode = `RS${number}`;
