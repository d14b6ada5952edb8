/** The exact output of `robosmith <command> --help`. It is pinned because users see every change of these texts. */
export const HELP: Readonly<Record<string, string>> = {
  '': `Usage: robosmith <command> [options]

Runs AI-coding work from a declarative manifest, .vision/workflows.json.

Options:
  -V, --version        Print the version
  -C <directory>       Run as if started in this directory
  --debug              Show stack traces
  -h, --help           Show help

Set up:
  init                 Create .flow/ and a starter workflow with scripted answers (existing files
                       are kept)
  doctor               Check Node, git, the manifest, the project's commands, keys, trust and runs
  keys                 List, add and test your API keys, and set the order in which they are used
  registry             Inspect the workers of this project
  docs <page>          Read the documents: tutorial, guides, cookbook, reference
  completion <shell>   Print a completion script for your shell
  help <command>       Show help for a command

Write a workflow:
  validate             Check the manifest and report all problems; executes nothing
  manifest             Inspect the manifest
  fmt                  Format the manifest and the files that it imports; comments and line breaks
                       stay
  diff <a> <b>         Compare the behaviour of two manifests
  graph                Draw the workflow
  export               Export the workflow as XState machines or as a diagram; the output is
                       deterministic
  context <slice>      Run a context slice of the manifest and show what a block would see
  mcp <folder>         Serve code analysis (roberto-mcp) to an MCP client on stdin and stdout

Run it:
  simulate <node>      Run with scripted answers in virtual time; starts no processes, uses no
                       network, writes no files
  run <node or block>  Run a node, or start from a block, in a new session with its own worktree
  resume <run>         Continue a run after a stop or crash, or answer its halt
  inbox                List what is waiting for you, with the commands that answer it
  notify               Set up desktop or webhook notifications for everything that waits for you
  runs                 List, inspect and control the runs of this project
  calls                Inspect model calls: requests, answers, costs
  ui                   Open Mission Control in the browser: runs, sessions, and what is waiting for
                       you
  inspect <recording>  Show the live actors of the engine in the browser: runs, sessions, keys, the
                       queue
  host                 Control the background engine that keeps runs alive
  sessions             List, create, merge, hold and discard sessions (tasks with their own branch
                       and worktree)
  status               Show all sessions, active runs and what is waiting for you
  worktrees            Report problems of session worktrees; \`clean\` removes leftovers
  loom                 Edit files with small operations

Work through a plan:
  tasks                Show and edit the work plan, .flow/status.md
  next                 Work on the next task only
  work                 Work on tasks until none is left or one needs you
  zoom                 Move the subtasks of a task to their own file, and work there

Start with:
  robosmith init

Help for a command:
  robosmith run --help
`,

  init: `Usage: robosmith init [options]

Create .flow/ and a starter workflow with scripted answers (existing files are kept)

Options:
  --template <name>  Start with a ready-made workflow instead
  --json             Print one JSON document
  -h, --help         Show help

Templates:
  dependency-update  Update dependencies, repair what breaks, report what a user notices.
  docs               Write documents that are checked against the code and by a new reader.
  explore            Compare three proposals for a hard question, then build the best one.
  feature            Plan, tests first, code, three reviewers; a person approves plan and result.
  fix-bug            A failing test first, then the cause, two reviews, and a person who decides.
  migrate            Migrate many files: one accepted example, then batches with checks.
  refactor-safely    Record the behaviour in tests, then refactor in small checked steps.
  review             Three reviewers side by side, one report; nothing is changed.
  security-audit     Four auditors side by side, each finding verified; nothing is changed.

Examples:
  robosmith init
  robosmith init --template fix-bug
`,

  doctor: `Usage: robosmith doctor [options]

Check Node, git, the manifest, the project's commands, keys, trust and runs

Options:
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  --json             Print one JSON document
  -h, --help         Show help

Exit code: 0 all well or warnings only, 1 a check failed.

Example:
  robosmith doctor
`,

  keys: `Usage: robosmith keys [command] [options]

List, add and test your API keys, and set the order in which they are used

Options:
  --json           Print one JSON document
  -h, --help       Show help

Commands:
  list             List your API keys (same as \`robosmith keys\`)
  add <alias>      Add a key to the system keychain; prompts for the secret or reads it from stdin
  test [alias...]  Check that the providers accept your keys; free of charge
  remove <alias>   Remove a key from the keychain
  order [tier...]  Set the order of keys: the first healthy one is used; without names, all keys are
                   used in turn
  disable <alias>  Stop using a key in all projects, also one from an environment variable
  enable <alias>   Use a key again, and clear its cooling and failures in this project

Secrets are kept in environment variables or in the system keychain, never in a file, and are never printed.

Examples:
  robosmith keys
  robosmith keys add work --provider openai
  robosmith keys test
`,

  'keys list': `Usage: robosmith keys list [options]

List your API keys (same as \`robosmith keys\`)

Options:
  -h, --help  Show help

Example:
  robosmith keys list --json
`,

  'keys add': `Usage: robosmith keys add [options] <alias>

Add a key to the system keychain; prompts for the secret or reads it from stdin

Arguments:
  alias              Name for the key, for example work

Options:
  --provider <name>  Provider: openai, anthropic, google or openai-compatible (default: the alias,
                     if it is one of these)
  --base-url <url>   The only URL that the key is sent to (default: the provider's)
  --account <name>   Account of the key; keys of one account share rate limits and cool down
                     together
  --pool <name>      Key pool that the key belongs to, as named in manifests
  --replace          Replace the existing key of this name
  --json             Print one JSON document
  -h, --help         Show help

Examples:
  robosmith keys add work --provider openai
  robosmith keys add box --provider openai-compatible --base-url http://localhost:8080/v1 < key.txt
  robosmith keys add work --replace
`,

  'keys test': `Usage: robosmith keys test [options] [alias...]

Check that the providers accept your keys; free of charge

Arguments:
  alias           Names of the keys (default: all)

Options:
  --model <name>  Also request a few tokens from this model, which shows whether the account has
                  credit
  --json          Print one JSON document
  -h, --help      Show help

Exit code: 0 all keys are accepted, 1 a key is not.

Examples:
  robosmith keys test
  robosmith keys test work --model gpt-5-nano
`,

  'keys remove': `Usage: robosmith keys remove [options] <alias>

Remove a key from the keychain

Arguments:
  alias       Name of the key

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith keys remove work
`,

  'keys order': `Usage: robosmith keys order [options] [tier...]

Set the order of keys: the first healthy one is used; without names, all keys are used in turn

Arguments:
  tier        Key names in order of preference; keys joined by a comma are used in turn

Options:
  --json      Print one JSON document
  -h, --help  Show help

Examples:
  robosmith keys order work spare
  robosmith keys order work,home spare
`,

  'keys disable': `Usage: robosmith keys disable [options] <alias>

Stop using a key in all projects, also one from an environment variable

Arguments:
  alias       Name of the key

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith keys disable work
`,

  'keys enable': `Usage: robosmith keys enable [options] <alias>

Use a key again, and clear its cooling and failures in this project

Arguments:
  alias       Name of the key

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith keys enable work
`,

  registry: `Usage: robosmith registry <command> [options]

Inspect the workers of this project

Options:
  -h, --help      Show help

Commands:
  check           Load every worker in .flow/flow.registry.json and report which are broken

Set up:
  help <command>  Show help for a command

Example:
  robosmith registry check
`,

  'registry check': `Usage: robosmith registry check [options]

Load every worker in .flow/flow.registry.json and report which are broken

Options:
  --trust     Trust this project: allow its commands and modules to run, now and later
  --json      Print one JSON document
  -h, --help  Show help

Exit code: 0 all are ready, 2 a worker is broken.

Examples:
  robosmith registry check
  robosmith registry check --trust --json
`,

  docs: `Usage: robosmith docs [options] [page]

Read the documents: tutorial, guides, cookbook, reference

Arguments:
  page        Page to print (default: list the pages)

Options:
  --web       Show the pages in your browser, served from this machine
  --no-open   With --web: print the URL without opening a browser
  -h, --help  Show help

Examples:
  robosmith docs
  robosmith docs worktrees
  robosmith docs tutorial --web
`,

  completion: `Usage: robosmith completion [options] <shell>

Print a completion script for your shell

Arguments:
  shell       bash, zsh, fish or powershell; sessions, runs, nodes, blocks or pages prints those
              names

Options:
  -h, --help  Show help

Examples:
  robosmith completion bash > ~/.local/share/bash-completion/completions/robosmith
  robosmith completion zsh > "\${fpath[1]}/_robosmith"
  robosmith completion fish > ~/.config/fish/completions/robosmith.fish
  robosmith completion powershell >> $PROFILE
`,

  validate: `Usage: robosmith validate [options]

Check the manifest and report all problems; executes nothing

Options:
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  --json             Print one JSON document
  -h, --help         Show help

Exit code: 0 no errors (there may be warnings), 2 errors.

Examples:
  robosmith validate
  robosmith validate --manifest other.json --json
`,

  manifest: `Usage: robosmith manifest <command> [options]

Inspect the manifest

Options:
  -h, --help      Show help

Commands:
  show            Print the inputs, nodes, blocks and transitions of the manifest

Set up:
  help <command>  Show help for a command

Example:
  robosmith manifest show
`,

  'manifest show': `Usage: robosmith manifest show [options]

Print the inputs, nodes, blocks and transitions of the manifest

Options:
  --resolved         Print JSON with imports, extends, mixins and shorthand expanded, and the origin
                     of every block
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  --json             Print one JSON document
  -h, --help         Show help

Examples:
  robosmith manifest show
  robosmith manifest show --resolved > resolved.json
`,

  fmt: `Usage: robosmith fmt [options]

Format the manifest and the files that it imports; comments and line breaks stay

Options:
  --check            Write nothing; exit with 1 if a file is not formatted
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  --json             Print one JSON document
  -h, --help         Show help

Exit code: 0 formatted, 1 with --check if a file is not, 2 error.

Examples:
  robosmith fmt
  robosmith fmt --check
`,

  diff: `Usage: robosmith diff [options] <a> <b>

Compare the behaviour of two manifests

Arguments:
  a             First manifest file
  b             Second manifest file

Options:
  --markdown    Write Markdown for a pull request
  --html        Write one page of HTML
  --out <file>  Write to this file instead of stdout
  --json        Print one JSON document
  -h, --help    Show help

Exit code: 0 same behaviour, 1 different, 2 error.

Examples:
  robosmith diff .vision/workflows.json other.json
  robosmith diff old.json .vision/workflows.json --markdown --out diff.md
`,

  graph: `Usage: robosmith graph [options]

Draw the workflow

Options:
  --format <format>  Output format: mermaid, dot, svg or html (default: "mermaid")
  --out <file>       Write to this file instead of stdout
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  -h, --help         Show help

Examples:
  robosmith graph
  robosmith graph --format html --out workflow.html
`,

  context: `Usage: robosmith context [options] [slice]

Run a context slice of the manifest and show what a block would see

Arguments:
  slice                 Name in context_slices (default: list them)

Options:
  --in <folder>         Worktree to ask about (default: the current folder)
  --artifact <file>     Value of \${artifact}: a path or glob (repeatable)
  --export <key=value>  Value of \${exports.<key>} (repeatable)
  --task-title <text>   Value of \${task.title}
  --manifest <file>     Manifest file (default: the nearest .vision/workflows.json)
  --json                Print one JSON document
  -h, --help            Show help

Exit code: 0 done, 1 the slice failed, 2 not started.

Examples:
  robosmith context
  robosmith context Testing_Context --artifact src/login.ts
`,

  mcp: `Usage: robosmith mcp [options] [folder]

Serve code analysis (roberto-mcp) to an MCP client on stdin and stdout

Arguments:
  folder      Worktree to analyse (default: the current folder)

Options:
  -h, --help  Show help

Examples:
  robosmith mcp
  claude mcp add code -- robosmith mcp /path/of/the/worktree
`,

  export: `Usage: robosmith export [options]

Export the workflow as XState machines or as a diagram; the output is deterministic

Options:
  --format <format>  Output format: json, ts, mermaid, dot, scxml, svg or html
  --out <file>       Write to this file instead of stdout
  --review <folder>  Write a bundle for reviewers to this folder: diagrams, signals, loops,
                     permissions, costs
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  -h, --help         Show help

Examples:
  robosmith export --format json
  robosmith export --format html --out workflow.html
  robosmith export --review docs/workflow
`,

  simulate: `Usage: robosmith simulate [options] [node]

Run with scripted answers in virtual time; starts no processes, uses no network, writes no files

Arguments:
  node                     Node to run, or block to start from (default: the entry of the manifest)

Options:
  --script <file>          File with the scripted answers (required)
  --input <text>           Request for the run: text, or @file to read it from a file; name=value
                           for each input that the manifest declares (repeatable)
  --step                   Halt before every block
  --answer <block=answer>  Answer a halt: retry, proceed, reject:<reason>, next, jump:<block> or
                           abort (repeatable)
  --manifest <file>        Manifest file (default: the nearest .vision/workflows.json)
  --json                   Print the Response as one JSON document
  --jsonl                  Stream events, one JSON document per line
  -h, --help               Show help

Exit code: 0 success, 1 failed, 2 not started, 3 waits for a person.

Example:
  robosmith simulate Feature_Implement --script .vision/answers.json
`,

  run: `Usage: robosmith run [options] [node or block]

Run a node, or start from a block, in a new session with its own worktree

Arguments:
  node or block            Node to run, or block to start from (default: the entry of the manifest)

Options:
  --in <directory>         Run in this directory instead of in a session
  --session <title>        Title of the new session, or of an existing one that is ready for another
                           run
  --plan <glob>            Files that the session plans to change (repeatable); sessions with
                           overlapping plans run one after the other
  --input <text>           Request for the run: text, or @file to read it from a file; name=value
                           for each input that the manifest declares (repeatable)
  --issue <number>         Work on this issue of the remote: its text and comments, read with gh or
                           glab, are the input
  --pull-request <number>  Continue the session of this pull request with its review comments as the
                           input
  --script <file>          File with scripted answers for some blocks; all other blocks execute
  --step                   Halt before every block
  --answer <block=answer>  Answer a halt: retry, proceed, reject:<reason>, next, jump:<block> or
                           abort (repeatable)
  --detach                 Run in the background engine host, and print how to follow the run
  --show-prompt            Print the prompts that would be sent, as far as scripted answers lead;
                           sends and executes nothing
  --print-prompts          Print each prompt before it is sent
  --trust                  Trust this project: allow its commands to run, now and later
  --manifest <file>        Manifest file (default: the nearest .vision/workflows.json)
  --json                   Print the Response as one JSON document
  --jsonl                  Stream events, one JSON document per line
  -h, --help               Show help

Exit code: 0 success or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith run Feature_Implement
  robosmith run Feature_Implement --session "Log in by mail" --plan "src/login/**" --detach
  robosmith run Feature_Implement --issue 12
  robosmith run Feature_Implement --pull-request 15
  robosmith run Feature_Implement --in .
  robosmith run Feature_Implement --in . --show-prompt
  robosmith run Feature_Implement --in . --input @task.md --trust --json
  robosmith run Feature_Implement --in . --answer Feature_Implement__Review=next
`,

  resume: `Usage: robosmith resume [options] [run]

Continue a run after a stop or crash, or answer its halt

Arguments:
  run                Run id or unique prefix (default: the newest run that can be resumed)

Options:
  --retry            Execute the halted or failed block again
  --proceed          Execute the block now (gate, step mode), or report manual work as done
  --reject <reason>  Reject manual work; the reason guides the block that the manifest names for
                     this
  --next             Continue with the next block
  --jump <block>     Continue with this block
  --abort            End the run
  --guidance <text>  Guidance for the workers, together with any of these answers
  --halt <id>        Halt to answer, if there are several
  --manifest <new>   Follow the current manifest instead of the one the run started with; the only
                     value is new
  --due              Resume every run whose scheduled time has passed
  --trust            Trust this project: allow its commands to run, now and later
  --json             Print the Response as one JSON document
  --jsonl            Stream events, one JSON document per line
  -h, --help         Show help

Exit code: 0 success or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith resume
  robosmith resume r3f2a91 --retry --guidance "the port is 8080"
  robosmith resume r3f2a91 --reject "the error message names no file"
  robosmith resume r3f2a91 --jump Feature_Implement__WriteCode
`,

  inbox: `Usage: robosmith inbox [options]

List what is waiting for you, with the commands that answer it

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith inbox
`,

  notify: `Usage: robosmith notify [options]

Set up desktop or webhook notifications for everything that waits for you

Options:
  --desktop <on|off>  Switch desktop notifications on or off
  --webhook <url>     Post each notification as JSON to this https URL; none removes it
  --test              Send a test notification now
  --json              Print one JSON document
  -h, --help          Show help

The setting applies to all your projects. Notifications come from engine hosts (robosmith run --detach).

Examples:
  robosmith notify --desktop on --test
  robosmith notify --webhook https://hooks.example.com/T0/B0
`,

  runs: `Usage: robosmith runs [command] [options]

List, inspect and control the runs of this project

Options:
  --json           Print one JSON document
  -h, --help       Show help

Commands:
  show <run>       Show the path of a run, its open halts and how it ended
  events <run>     Print the events of a run, one JSON document per line
  replay <run>     Replay a run from its journal, and check that it takes the same path; executes
                   nothing
  fork <run@step>  Start a new run from any step of an earlier run, which stays unchanged
  stop <run>       Stop a run now; \`robosmith resume\` continues it
  pause <run>      Stop a run after the current step; \`robosmith resume\` continues it
  cancel <run>     Cancel a run for good; files stay as they are
  prune            Remove finished runs that match all given options, with their model calls

Examples:
  robosmith runs
  robosmith runs show r3f2a91
  robosmith runs --json
`,

  'runs show': `Usage: robosmith runs show [options] <run>

Show the path of a run, its open halts and how it ended

Arguments:
  run         Run id or unique prefix

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith runs show r3f2a91
`,

  'runs events': `Usage: robosmith runs events [options] <run>

Print the events of a run, one JSON document per line

Arguments:
  run         Run id or unique prefix

Options:
  --follow    Follow new events until the run ends or Ctrl-C
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith runs events r3f2a91 --follow
`,

  'runs replay': `Usage: robosmith runs replay [options] <run>

Replay a run from its journal, and check that it takes the same path; executes nothing

Arguments:
  run                Run id or unique prefix

Options:
  --manifest <file>  Replay against this manifest, to see where the path would differ
  --json             Print one JSON document
  -h, --help         Show help

Exit code: 0 the same path, 1 another path, 2 error.

Examples:
  robosmith runs replay r3f2a91
  robosmith runs replay r3f2a91 --manifest .vision/workflows.json
`,

  'runs fork': `Usage: robosmith runs fork [options] <run@step>

Start a new run from any step of an earlier run, which stays unchanged

Arguments:
  run@step    Run and step number, as listed by \`runs show\`

Options:
  --no-start  Create the run without starting it
  --trust     Trust this project: allow its commands to run, now and later
  --json      Print the Response as one JSON document
  --jsonl     Stream events, one JSON document per line
  -h, --help  Show help

Examples:
  robosmith runs fork r3f2a91@4
  robosmith runs fork r3f2a91@4 --no-start
`,

  'runs stop': `Usage: robosmith runs stop [options] <run>

Stop a run now; \`robosmith resume\` continues it

Arguments:
  run         Run id or unique prefix

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith runs stop r3f2a91
`,

  'runs pause': `Usage: robosmith runs pause [options] <run>

Stop a run after the current step; \`robosmith resume\` continues it

Arguments:
  run         Run id or unique prefix

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith runs pause r3f2a91
`,

  'runs cancel': `Usage: robosmith runs cancel [options] <run>

Cancel a run for good; files stay as they are

Arguments:
  run         Run id or unique prefix

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith runs cancel r3f2a91
`,

  'runs prune': `Usage: robosmith runs prune [options]

Remove finished runs that match all given options, with their model calls

Options:
  --older-than <age>  Runs that ended longer ago than this, for example 12h, 30d or 8w
  --keep <number>     Keep this many of the newest runs
  --max-size <size>   Remove the oldest runs until the rest takes at most this much space, for
                      example 100MB
  --dry-run           Print what would be removed and remove nothing
  --json              Print one JSON document
  -h, --help          Show help

Examples:
  robosmith runs prune --older-than 30d --dry-run
  robosmith runs prune --keep 100 --max-size 500MB
`,

  ui: `Usage: robosmith ui [options]

Open Mission Control in the browser: runs, sessions, and what is waiting for you

Options:
  --no-open        Print the URL without opening a browser
  --port <number>  Port on 127.0.0.1 (default: any free port)
  --trust          Trust this project: allow its commands to run, now and later
  --json           Print one JSON document
  -h, --help       Show help

Examples:
  robosmith ui
  robosmith ui --no-open
`,
  inspect: `Usage: robosmith inspect [options] [recording]

Show the live actors of the engine in the browser: runs, sessions, keys, the queue

Arguments:
  recording        Show this recording instead of live actors

Options:
  --record <file>  Also write all events to a new file, one JSON object per line
  --programs       Show other XState programs only, without a project
  --hosted         Use the inspector of stately.ai instead of the local page
  --no-open        Print the URL without opening a browser
  --port <number>  Port on 127.0.0.1 (default: any free port)
  --json           Print one JSON document
  -h, --help       Show help

Secrets, prompts and answers are left out. Nothing leaves this machine without --hosted.

Examples:
  robosmith inspect
  robosmith inspect --record run.inspection.jsonl
  robosmith inspect run.inspection.jsonl
`,
  host: `Usage: robosmith host <command> [options]

Control the background engine that keeps runs alive

Options:
  -h, --help      Show help

Commands:
  start           Start the engine host if it is not running
  stop            Stop the engine host once no run is active
  status          Show whether the engine host is running, and its runs

Set up:
  help <command>  Show help for a command

"robosmith run --detach" starts the host when needed. While it is running, run and resume use it.

Examples:
  robosmith host start
  robosmith host status
  robosmith host stop
`,

  'host start': `Usage: robosmith host start [options]

Start the engine host if it is not running

Options:
  --foreground      Run the host in this terminal until Ctrl-C
  --idle <minutes>  Stop after this many idle minutes: no run, no client, nothing scheduled
                    (default: 10)
  --json            Print one JSON document
  -h, --help        Show help

Examples:
  robosmith host start
  robosmith host start --foreground --idle 60
`,

  'host stop': `Usage: robosmith host stop [options]

Stop the engine host once no run is active

Options:
  --force     Stop now; \`robosmith resume\` continues the interrupted runs
  --json      Print one JSON document
  -h, --help  Show help

Examples:
  robosmith host stop
  robosmith host stop --force
`,

  'host status': `Usage: robosmith host status [options]

Show whether the engine host is running, and its runs

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith host status
`,

  loom: `Usage: robosmith loom <command> [options]

Edit files with small operations

Options:
  -h, --help      Show help

Commands:
  apply <file>    Apply a list of edits as one transaction

Set up:
  help <command>  Show help for a command

Example:
  robosmith loom apply ops.json --dry-run
`,

  'loom apply': `Usage: robosmith loom apply [options] <file>

Apply a list of edits as one transaction

Arguments:
  file        JSON file with the edits, or - for stdin

Options:
  --dry-run   Print a unified diff and write nothing
  --json      Print one JSON document
  -h, --help  Show help

The input is JSON, or a model's answer that contains it: a list of
  { "op": "insert", "path": "…", "anchor": "…", "content": "…", "position": "before" or "after" }
  { "op": "replaceBlock", "path": "…", "start": "…", "end": "…", "content": "…" }
  { "op": "append", "path": "…", "content": "…" }
  { "op": "replaceLine", "path": "…", "line": 12, "content": "…", "expected": "…" }
Either all edits are applied or none. Paths are relative to the current directory, and must be inside it.

Exit code: 0 applied or already there, 1 an edit does not fit (nothing was written), 2 error.

Examples:
  robosmith loom apply ops.json --dry-run
  robosmith loom apply ops.json
`,

  tasks: `Usage: robosmith tasks [command] [options]

Show and edit the work plan, .flow/status.md

Options:
  --strict           Refuse to work if another program changed the plan since RoboSmith saved it
  --json             Print one JSON document
  -h, --help         Show help

Commands:
  add <name>         Add a pending task at the end
  set <id> <status>  Set the status of a task
  remove <id>        Remove a task and its subtasks; the old file is kept
  move <id>          Move a task and its subtasks
  accept             Accept changes that another program made to the plan
  restore            Undo changes that another program made to the plan since RoboSmith saved it

Markers: [ ] pending, [/] active, [x] done, [-] skipped, [!] failed. You can edit the file by hand.

Examples:
  robosmith tasks
  robosmith tasks add "Write the parser" --node Feature_Implement
  robosmith tasks set 1.2 done
`,

  'tasks add': `Usage: robosmith tasks add [options] <name>

Add a pending task at the end

Arguments:
  name           What to do; a prefix such as \`[git]\` assigns it to the worker "git" of the registry

Options:
  --under <id>   Add it as a subtask of this task
  --before <id>  Insert it before this task
  --node <node>  Node of the manifest that the task runs
  --strict       Refuse to work if another program changed the plan since RoboSmith saved it
  --json         Print one JSON document
  -h, --help     Show help

Examples:
  robosmith tasks add "Write the parser"
  robosmith tasks add "Test it" --under 1 --node Feature_Test
`,

  'tasks set': `Usage: robosmith tasks set [options] <id> <status>

Set the status of a task

Arguments:
  id                       Task number as listed by \`robosmith tasks\`, for example 1.2
  status                   New status: pending, active, done, skipped or failed

Options:
  --name <name>            Only if the task has this name
  --structure <structure>  Only if the tree still has this structure, as printed by \`tasks --json\`
  --strict                 Refuse to work if another program changed the plan since RoboSmith saved
                           it
  --json                   Print one JSON document
  -h, --help               Show help

Examples:
  robosmith tasks set 1.2 done
  robosmith tasks set 3 skipped --name "Write docs"
`,

  'tasks remove': `Usage: robosmith tasks remove [options] <id>

Remove a task and its subtasks; the old file is kept

Arguments:
  id                       Task number as listed by \`robosmith tasks\`, for example 1.2

Options:
  --name <name>            Only if the task has this name
  --structure <structure>  Only if the tree still has this structure, as printed by \`tasks --json\`
  --strict                 Refuse to work if another program changed the plan since RoboSmith saved
                           it
  --json                   Print one JSON document
  -h, --help               Show help

Example:
  robosmith tasks remove 2
`,

  'tasks accept': `Usage: robosmith tasks accept [options]

Accept changes that another program made to the plan

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith tasks accept
`,

  'tasks restore': `Usage: robosmith tasks restore [options]

Undo changes that another program made to the plan since RoboSmith saved it

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith tasks restore
`,

  next: `Usage: robosmith next [options]

Work on the next task only

Options:
  --in <directory>   Work in this directory (default: the current one)
  --trust            Trust this project: allow its commands to run, now and later
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  --strict           Refuse to work if another program changed the plan since RoboSmith saved it
  --json             Print one JSON document
  --jsonl            Stream events, one JSON document per line
  -h, --help         Show help

Exit code: 0 done or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith next
  robosmith next --trust --json
`,

  work: `Usage: robosmith work [options]

Work on tasks until none is left or one needs you

Options:
  --in <directory>   Work in this directory (default: the current one)
  --trust            Trust this project: allow its commands to run, now and later
  --manifest <file>  Manifest file (default: the nearest .vision/workflows.json)
  --strict           Refuse to work if another program changed the plan since RoboSmith saved it
  --json             Print one JSON document
  --jsonl            Stream events, one JSON document per line
  -h, --help         Show help

Exit code: 0 done or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith work
  robosmith work --trust --json
`,

  zoom: `Usage: robosmith zoom <command> [options]

Move the subtasks of a task to their own file, and work there

Options:
  -h, --help      Show help

Commands:
  in <id>         Work on the subtasks of this task, in .flow/sub_flows/
  out             Go back to the parent file

Set up:
  help <command>  Show help for a command

Examples:
  robosmith zoom in 1.2
  robosmith zoom out
`,

  'zoom in': `Usage: robosmith zoom in [options] <id>

Work on the subtasks of this task, in .flow/sub_flows/

Arguments:
  id                       Task number as listed by \`robosmith tasks\`, for example 1.2

Options:
  --name <name>            Only if the task has this name
  --structure <structure>  Only if the tree still has this structure, as printed by \`tasks --json\`
  --strict                 Refuse to work if another program changed the plan since RoboSmith saved
                           it
  --json                   Print one JSON document
  -h, --help               Show help

Example:
  robosmith zoom in 1.2
`,

  'zoom out': `Usage: robosmith zoom out [options]

Go back to the parent file

Options:
  --strict    Refuse to work if another program changed the plan since RoboSmith saved it
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith zoom out
`,

  calls: `Usage: robosmith calls [command] [options]

Inspect model calls: requests, answers, costs

Options:
  --run <run>          Only calls of this run
  --limit <number>     Maximum number of calls to list, newest first
  --json               Print one JSON document
  -h, --help           Show help

Commands:
  list                 List model calls (same as \`robosmith calls\`)
  show <call>          Show the prompt, the attempts and the answer of a call
  rerun <call>         Send a request again, unchanged or edited, and compare the answers; no run is
                       changed
  diff <call> <other>  Compare the requests and answers of two calls
  cost                 Sum tokens and costs; an unknown price is shown as unknown, never as zero

Examples:
  robosmith calls
  robosmith calls show 4f21ab
  robosmith calls --run r3f2a91
`,

  'calls list': `Usage: robosmith calls list [options]

List model calls (same as \`robosmith calls\`)

Options:
  -h, --help  Show help

Example:
  robosmith calls list --limit 20
`,

  'calls show': `Usage: robosmith calls show [options] <call>

Show the prompt, the attempts and the answer of a call

Arguments:
  call        Call id or unique prefix

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith calls show 4f21ab
`,

  'calls rerun': `Usage: robosmith calls rerun [options] <call>

Send a request again, unchanged or edited, and compare the answers; no run is changed

Arguments:
  call                       Call id or unique prefix

Options:
  --model <model>            Use another model
  --provider <provider>      Provider: openai, anthropic, google or openai-compatible
  --base-url <url>           URL of the model server
  --temperature <number>     Use another temperature
  --edit                     Edit the parts of the request in $EDITOR
  --request <file>           File with the edited request, in the format that --edit shows
  --set-instructions <text>  Replace the system message: text, or @file
  --message <text>           Replace the last part of the last message: text, or @file
  --times <number>           Number of times to send it, one after the other
  --json                     Print one JSON document
  -h, --help                 Show help

Each repeat is billed, and logged as a new call that refers to the original.

Exit code: 0 answered, 1 the call failed, 2 not sent, 3 no key can be used now, 4 engine is busy.

Examples:
  robosmith calls rerun 4f21ab
  robosmith calls rerun 4f21ab --edit
  robosmith calls rerun 4f21ab --model gpt-5 --temperature 0 --times 3
`,

  'calls diff': `Usage: robosmith calls diff [options] <call> <other>

Compare the requests and answers of two calls

Arguments:
  call        First call: id or unique prefix
  other       Second call: id or unique prefix

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith calls diff 4f21ab 90cc12
`,

  'calls cost': `Usage: robosmith calls cost [options]

Sum tokens and costs; an unknown price is shown as unknown, never as zero

Options:
  --by <what>  Group by model, block, run, key or day (default: model)
  --run <run>  Only calls of this run
  --json       Print one JSON document
  -h, --help   Show help

Examples:
  robosmith calls cost
  robosmith calls cost --by block --run r3f2a91
`,

  status: `Usage: robosmith status [options]

Show all sessions, active runs and what is waiting for you

Options:
  --watch     Show the status as a console that answers, merges and shows diffs
  --disk      Show the disk usage of worktrees, runs and logs
  --all       Include sessions that are merged or discarded
  --json      Print one JSON document
  -h, --help  Show help

With --watch, what waits for you comes first. Enter lists all actions of the selected session, d shows its
diff, p proceeds, x rejects, m merges, s opens a shell, ? shows all keys, q quits; runs continue. Nothing is
changed without a confirmation. If stdout is not a terminal, the status is printed once.

Examples:
  robosmith status
  robosmith status --watch
  robosmith status --disk --all
`,

  worktrees: `Usage: robosmith worktrees [command] [options]

Report problems of session worktrees; \`clean\` removes leftovers

Options:
  --json      Print one JSON document
  -h, --help  Show help

Commands:
  clean       Remove leftovers that hold no work; asks for confirmation

Examples:
  robosmith worktrees
  robosmith worktrees clean
`,

  'worktrees clean': `Usage: robosmith worktrees clean [options]

Remove leftovers that hold no work; asks for confirmation

Options:
  --yes       Do not ask for confirmation
  --json      Print one JSON document
  -h, --help  Show help

Removes worktrees that belong to no session and hold no work, git's entries for folders that are gone,
records of sessions of which nothing is left, and backups of work that was discarded or overwritten more than
30 days ago, unless a session may still need them. Current work is never removed.

Examples:
  robosmith worktrees clean
  robosmith worktrees clean --yes --json
`,

  sessions: `Usage: robosmith sessions [command] [options]

List, create, merge, hold and discard sessions (tasks with their own branch and worktree)

Options:
  --all                     Include sessions that are merged or discarded
  --json                    Print one JSON document
  -h, --help                Show help

Commands:
  new <title>               Create a session (a branch and a worktree) for a node of the manifest or
                            for your own work
  show <session>            Show the worktree, changes, dependencies and history of a session
  diff <session> [file...]  Show what a session has changed since its base, including uncommitted
                            and new files
  terminal <session>        Open your shell in the worktree of a session
  merge <session>           Merge the session into its base branch; changes nothing if there are
                            conflicts
  update <session>          Update the session from its base branch; run it again after resolving
                            conflicts
  push <session>            Push the branch of a session, and print the URL that opens a pull
                            request
  restore <session>         Restore a discarded session, including uncommitted changes
  hold <session>            Put a session on hold; the state of its run is committed to its branch,
                            to continue here or elsewhere
  discard <session>         Remove the worktree and branch of a session; \`sessions restore\` works
                            for 30 days
  submit <session>          Queue a draft session
  withdraw <session>        Remove a session from the queue, also while its worktree is being
                            created
  resume <session>          Continue a held session; its worktree is created again if it was removed
  change <session>          Change the title, plan, priority, base or dependencies of a session

Examples:
  robosmith sessions
  robosmith sessions new "Fix the login" --node Fix
`,

  'sessions new': `Usage: robosmith sessions new [options] <title>

Create a session (a branch and a worktree) for a node of the manifest or for your own work

Arguments:
  title                Title of the session, one line

Options:
  --node <node>        Node or block that the session runs; without it, you work in the session
                       yourself
  --plan <glob>        Files that the session plans to change (repeatable); sessions with
                       overlapping plans run one after the other
  --priority <number>  Priority: 1 starts first; sessions without a priority start last
  --after <session>    Start after this session is merged (repeatable: after all of them)
  --base <branch>      Branch to start from and to merge into
  --attach <branch>    Work on this existing branch
  --input <text>       Request for the run: text, or @file to read it from a file; name=value for
                       each input that the manifest declares (repeatable)
  --script <file>      File with scripted answers for some blocks; all other blocks execute
  --step               Halt before every block
  --draft              Create a draft that is not queued yet
  --trust              Trust this project: allow its commands to run, now and later
  --manifest <file>    Manifest file (default: the nearest .vision/workflows.json)
  --json               Print one JSON document
  -h, --help           Show help

Examples:
  robosmith sessions new "Fix the login" --node Fix --plan "src/login/**"
  robosmith sessions new "Try something" --priority 1
`,

  'sessions show': `Usage: robosmith sessions show [options] <session>

Show the worktree, changes, dependencies and history of a session

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith sessions show s3f2a91c0
`,

  'sessions diff': `Usage: robosmith sessions diff [options] [session] [file...]

Show what a session has changed since its base, including uncommitted and new files

Arguments:
  session     Session: id, unique prefix of it, title or branch (default: the only active one, or
              the one of this folder)
  file        Files or folders to show (default: all)

Options:
  --stat      List the changed files with the number of their lines
  --web       Show the diff in your browser
  --json      Print one JSON document
  -h, --help  Show help

Examples:
  robosmith sessions diff
  robosmith sessions diff s3f2a91c0 --stat
  robosmith sessions diff s3f2a91c0 src/login.ts
`,

  'sessions terminal': `Usage: robosmith sessions terminal [options] <session>

Open your shell in the worktree of a session

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  -h, --help  Show help

Example:
  robosmith sessions terminal s3f2a91c0
`,

  'sessions merge': `Usage: robosmith sessions merge [options] <session>

Merge the session into its base branch; changes nothing if there are conflicts

Arguments:
  session           Session: id, unique prefix of it, title or branch

Options:
  --strategy <how>  Merge strategy: squash (default), merge or rebase
  --message <text>  Commit message (default: the title)
  --verify          Run the project's tests on the merged files first (default: only if the base has
                    changed)
  --no-verify       Merge without running the tests
  --yes             Do not ask for confirmation on a terminal
  --trust           Trust the manifest to run its tests and set-up for that, now and later
  --json            Print one JSON document
  -h, --help        Show help

Examples:
  robosmith sessions merge s3f2a91c0
  robosmith sessions merge s3f2 --verify
`,

  'sessions update': `Usage: robosmith sessions update [options] <session>

Update the session from its base branch; run it again after resolving conflicts

Arguments:
  session           Session: id, unique prefix of it, title or branch

Options:
  --resolve [node]  Run a node to resolve the conflicts (default: the manifest's worktree.resolver)
  --detach          With --resolve: run it in the background
  --trust           Trust this project: allow its commands to run, now and later
  --abort           Undo an update that has conflicts
  --json            Print one JSON document
  -h, --help        Show help

Examples:
  robosmith sessions update s3f2a91c0
  robosmith sessions update s3f2 --resolve Resolve
  robosmith sessions update s3f2 --abort
`,

  'sessions push': `Usage: robosmith sessions push [options] <session>

Push the branch of a session, and print the URL that opens a pull request

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --pr        Open the pull request with gh or glab, if installed
  --json      Print one JSON document
  -h, --help  Show help

Examples:
  robosmith sessions push s3f2a91c0
  robosmith sessions push s3f2 --pr
`,

  'sessions restore': `Usage: robosmith sessions restore [options] <session>

Restore a discarded session, including uncommitted changes

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith sessions restore s3f2a91c0
`,

  'sessions hold': `Usage: robosmith sessions hold [options] <session>

Put a session on hold; the state of its run is committed to its branch, to continue here or
elsewhere

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --release   Also remove the worktree to free disk space
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith sessions hold s3f2a91c0 --release
`,

  'sessions discard': `Usage: robosmith sessions discard [options] <session>

Remove the worktree and branch of a session; \`sessions restore\` works for 30 days

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --yes       Do not ask for confirmation
  --force     Discard even if the work exists nowhere else; do not ask
  --json      Print one JSON document
  -h, --help  Show help

Examples:
  robosmith sessions discard s3f2a91c0
  robosmith sessions discard s3f2 --force
`,

  'sessions submit': `Usage: robosmith sessions submit [options] <session>

Queue a draft session

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith sessions submit s3f2a91c0
`,

  'sessions withdraw': `Usage: robosmith sessions withdraw [options] <session>

Remove a session from the queue, also while its worktree is being created

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith sessions withdraw s3f2a91c0
`,

  'sessions resume': `Usage: robosmith sessions resume [options] <session>

Continue a held session; its worktree is created again if it was removed

Arguments:
  session     Session: id, unique prefix of it, title or branch

Options:
  --trust     Trust this project: allow its commands to run, now and later
  --json      Print one JSON document
  -h, --help  Show help

Example:
  robosmith sessions resume s3f2a91c0
`,

  'sessions change': `Usage: robosmith sessions change [options] <session>

Change the title, plan, priority, base or dependencies of a session

Arguments:
  session              Session: id, unique prefix of it, title or branch

Options:
  --title <text>       New title
  --plan <glob>        New plan (repeatable); none removes all files
  --priority <number>  New priority: 1 starts first; none removes it
  --after <session>    New session to wait for (repeatable); none removes all
  --base <branch>      New branch to merge the session into
  --json               Print one JSON document
  -h, --help           Show help

Example:
  robosmith sessions change s3f2a91c0 --priority 1 --plan "src/**" --plan README.md
`,
};
