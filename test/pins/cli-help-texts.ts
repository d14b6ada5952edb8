/** What `robosmith <command> --help` prints, to the letter. A change here is a change of what users see. */
export const HELP: Readonly<Record<string, string>> = {
  '': `Usage: robosmith <command> [options]

Runs AI-coding work from a declarative manifest, .vision/workflows.json.

Options:
  -V, --version        print the version
  --debug              show stack traces
  -h, --help           show help

Set up:
  init                 make .flow/, a starter manifest and its scripted answers here; overwrites
                       nothing
  doctor               check Node, git, the manifest, the project's commands and trust
  completion <shell>   print a completion script for your shell
  help <command>       show help for a command

Write a workflow:
  validate             check the manifest: every finding at once, nothing is executed
  manifest             look at the manifest
  diff <a> <b>         tell two manifests apart by what they do, not by their text
  graph                draw the workflow
  export               write the workflow as XState machines or for review; the same bytes every
                       time

Run it:
  simulate <node>      run on scripted answers in virtual time: no process, no network, no file
  run <node or block>  run a node, or from a block on, in a directory

Start with:
  robosmith init

Help for a command:
  robosmith run --help
`,
  init: `Usage: robosmith init [options]

make .flow/, a starter manifest and its scripted answers here; overwrites nothing

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith init
`,
  doctor: `Usage: robosmith doctor [options]

check Node, git, the manifest, the project's commands and trust

Options:
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  --json             print one JSON document
  -h, --help         show help

Exit code: 0 all well or warnings only, 1 something fails.

Example:
  robosmith doctor
`,
  completion: `Usage: robosmith completion [options] <shell>

print a completion script for your shell

Arguments:
  shell       bash, zsh or fish

Options:
  -h, --help  show help

Examples:
  robosmith completion bash > ~/.local/share/bash-completion/completions/robosmith
  robosmith completion zsh > "\${fpath[1]}/_robosmith"
  robosmith completion fish > ~/.config/fish/completions/robosmith.fish
`,
  validate: `Usage: robosmith validate [options]

check the manifest: every finding at once, nothing is executed

Options:
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  --json             print one JSON document
  -h, --help         show help

Exit code: 0 no errors (there may be warnings), 2 errors.

Examples:
  robosmith validate
  robosmith validate --manifest other.json --json
`,
  manifest: `Usage: robosmith manifest <command> [options]

look at the manifest

Options:
  -h, --help      show help

Commands:
  show            print its nodes, blocks and transitions

Set up:
  help <command>  show help for a command

Example:
  robosmith manifest show
`,
  'manifest show': `Usage: robosmith manifest show [options]

print its nodes, blocks and transitions

Options:
  --resolved         as JSON after imports, extends, mixins and sugar, with the origin of every
                     block
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  --json             print one JSON document
  -h, --help         show help

Examples:
  robosmith manifest show
  robosmith manifest show --resolved > resolved.json
`,
  diff: `Usage: robosmith diff [options] <a> <b>

tell two manifests apart by what they do, not by their text

Arguments:
  a           a manifest file
  b           another one

Options:
  --json      print one JSON document
  -h, --help  show help

Exit code: 0 same behaviour, 1 different, 2 trouble.

Example:
  robosmith diff .vision/workflows.json other.json
`,
  graph: `Usage: robosmith graph [options]

draw the workflow

Options:
  --format <format>  mermaid, dot or html (default: "mermaid")
  --out <file>       write there instead of to stdout
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  -h, --help         show help

Examples:
  robosmith graph
  robosmith graph --format html --out workflow.html
`,
  export: `Usage: robosmith export [options]

write the workflow as XState machines or for review; the same bytes every time

Options:
  --format <format>  json, ts, mermaid, dot, scxml or html
  --out <file>       write there instead of to stdout
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  -h, --help         show help

Examples:
  robosmith export --format json
  robosmith export --format html --out workflow.html
`,
  simulate: `Usage: robosmith simulate [options] [node]

run on scripted answers in virtual time: no process, no network, no file

Arguments:
  node                     a node, or a block to start from (default: the entry of the manifest)

Options:
  --script <file>          the scripted answers (required)
  --input <text>           the request: text, or @file to read it from a file
  --step                   halt before every block
  --answer <block=answer>  answer a halt: retry, proceed, next, jump:<block> or abort (repeatable)
  --manifest <file>        the manifest (default: the nearest .vision/workflows.json)
  --json                   print the Response as one JSON document
  --jsonl                  stream the events, one JSON document a line
  -h, --help               show help

Exit code: 0 success, 1 failed, 2 not started, 3 waits for a person.

Example:
  robosmith simulate Feature_Implement --script .vision/answers.json
`,
  run: `Usage: robosmith run [options] [node or block]

run a node, or from a block on, in a directory

Arguments:
  node or block            where to start (default: the entry of the manifest)

Options:
  --in <directory>         work in this directory as it is (required)
  --input <text>           the request: text, or @file to read it from a file
  --script <file>          scripted answers for some blocks; all others are real
  --step                   halt before every block
  --answer <block=answer>  answer a halt: retry, proceed, next, jump:<block> or abort (repeatable)
  --trust                  let this project run its commands, now and later
  --manifest <file>        the manifest (default: the nearest .vision/workflows.json)
  --json                   print the Response as one JSON document
  --jsonl                  stream the events, one JSON document a line
  -h, --help               show help

Exit code: 0 success, 1 failed, 2 not started, 3 waits for a person.

Examples:
  robosmith run Feature_Implement --in .
  robosmith run Feature_Implement --in . --input @task.md --trust --json
  robosmith run Feature_Implement --in . --answer Feature_Implement__Review=next
`,
};
