/** What `robosmith <command> --help` prints, to the letter. A change here is a change of what users see. */
export const HELP: Readonly<Record<string, string>> = {
  '': `Usage: robosmith <command> [options]

Runs AI-coding work from a declarative manifest, .vision/workflows.json.

Options:
  -V, --version        print the version
  -C <directory>       work as if started there
  --debug              show stack traces
  -h, --help           show help

Set up:
  init                 make .flow/, a starter manifest and its scripted answers here; overwrites
                       nothing
  doctor               check Node, git, the manifest, the project's commands, keys, trust and runs
  keys                 list your API keys, add one, test them, say in which order they are used
  registry             look at the workers of this project
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
  run <node or block>  run a node, or from a block on, in a session with a worktree of its own
  resume <run>         go on with a run: after a stop or a crash, or with an answer
  inbox                what waits for you, with the commands that answer it
  notify               be told on the desktop or by a webhook when something waits for you
  runs                 list the runs of this project, look into one, steer one
  calls                list the calls of models in .vision/logs, look into one, send one again,
                       compare two, sum their cost
  ui                   show Mission Control in the browser: runs, sessions, and what waits for you
  host                 the process that runs the engine: runs go on in it, whoever comes and goes
  sessions             tasks in worktrees of their own: list them, make, merge, hold and discard
                       them
  status               how all sessions stand, what runs, what waits for you
  worktrees            what is odd about the worktrees of sessions; clean removes what is left over
  loom                 edit files by small operations

Work through a plan:
  tasks                show the work plan, .flow/status.md, and change it
  next                 work on the next task: one
  work                 work on tasks until none is left, or one needs you
  zoom                 give a task a file of its own, and work in there

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

check Node, git, the manifest, the project's commands, keys, trust and runs

Options:
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  --json             print one JSON document
  -h, --help         show help

Exit code: 0 all well or warnings only, 1 something fails.

Example:
  robosmith doctor
`,

  keys: `Usage: robosmith keys [command] [options]

list your API keys, add one, test them, say in which order they are used

Options:
  --json           print one JSON document
  -h, --help       show help

Commands:
  list             the same as keys alone
  add <alias>      put a key into the keychain; it is asked for, or read from stdin
  test <alias>     ask the providers whether they take your keys; that costs nothing
  remove <alias>   take a key out of the keychain
  order <tier>     use the first of these while it is healthy, then the next; without a name, all
                   take turns
  disable <alias>  use this key in no project, also one of the environment
  enable <alias>   use it again; forgets what was held against it in this project

Secrets are in environment variables or in the keychain of the system, never in a file. Nothing shows them.

Examples:
  robosmith keys
  robosmith keys add work --provider openai
  robosmith keys test
`,

  'keys list': `Usage: robosmith keys list [options]

the same as keys alone

Options:
  -h, --help  show help

Example:
  robosmith keys list --json
`,

  'keys add': `Usage: robosmith keys add [options] <alias>

put a key into the keychain; it is asked for, or read from stdin

Arguments:
  alias              a name for it, for example work

Options:
  --provider <name>  openai, anthropic, google or openai-compatible (default: the name, where it is
                     one)
  --base-url <url>   the only address that it is sent to (default: that of the provider)
  --account <name>   keys of one account share its limits, and rest together
  --pool <name>      a pool of manifests that it belongs to
  --replace          over the key of that name
  --json             print one JSON document
  -h, --help         show help

Examples:
  robosmith keys add work --provider openai
  robosmith keys add box --provider openai-compatible --base-url http://localhost:8080/v1 < key.txt
  robosmith keys add work --replace
`,

  'keys test': `Usage: robosmith keys test [options] [alias...]

ask the providers whether they take your keys; that costs nothing

Arguments:
  alias           their names (default: all)

Options:
  --model <name>  ask this model for a few tokens: tells also whether there is money left
  --json          print one JSON document
  -h, --help      show help

Exit code: 0 all are good, 1 one is not.

Examples:
  robosmith keys test
  robosmith keys test work --model gpt-5-nano
`,

  'keys remove': `Usage: robosmith keys remove [options] <alias>

take a key out of the keychain

Arguments:
  alias       its name

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith keys remove work
`,

  'keys order': `Usage: robosmith keys order [options] [tier...]

use the first of these while it is healthy, then the next; without a name, all take turns

Arguments:
  tier        names; those joined by a comma take turns

Options:
  --json      print one JSON document
  -h, --help  show help

Examples:
  robosmith keys order work spare
  robosmith keys order work,home spare
`,

  'keys disable': `Usage: robosmith keys disable [options] <alias>

use this key in no project, also one of the environment

Arguments:
  alias       its name

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith keys disable work
`,

  'keys enable': `Usage: robosmith keys enable [options] <alias>

use it again; forgets what was held against it in this project

Arguments:
  alias       its name

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith keys enable work
`,

  registry: `Usage: robosmith registry <command> [options]

look at the workers of this project

Options:
  -h, --help      show help

Commands:
  check           load every worker that .flow/flow.registry.json lists, and say which are broken

Set up:
  help <command>  show help for a command

Example:
  robosmith registry check
`,

  'registry check': `Usage: robosmith registry check [options]

load every worker that .flow/flow.registry.json lists, and say which are broken

Options:
  --trust     let this project run its commands and modules, now and later
  --json      print one JSON document
  -h, --help  show help

Exit code: 0 all are ready, 2 something is wrong.

Examples:
  robosmith registry check
  robosmith registry check --trust --json
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
  --format <format>  mermaid, dot, svg or html (default: "mermaid")
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
  --format <format>  json, ts, mermaid, dot, scxml, svg or html
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

run a node, or from a block on, in a session with a worktree of its own

Arguments:
  node or block            where to start (default: the entry of the manifest)

Options:
  --in <directory>         work in this directory as it is, without a session
  --session <title>        the name of the session, or of one that is ready for another run
  --plan <glob>            a file that it means to change (repeatable); what clashes with another
                           session waits
  --input <text>           the request: text, or @file to read it from a file
  --script <file>          scripted answers for some blocks; all others are real
  --step                   halt before every block
  --answer <block=answer>  answer a halt: retry, proceed, next, jump:<block> or abort (repeatable)
  --detach                 leave it to the engine host, and say how to come back
  --show-prompt            show what models would be sent, as far as a script answers; send and
                           execute nothing
  --print-prompts          print what models are sent, right before it is
  --trust                  let this project run its commands, now and later
  --manifest <file>        the manifest (default: the nearest .vision/workflows.json)
  --json                   print the Response as one JSON document
  --jsonl                  stream the events, one JSON document a line
  -h, --help               show help

Exit code: 0 success or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith run Feature_Implement
  robosmith run Feature_Implement --session "Log in by mail" --plan "src/login/**" --detach
  robosmith run Feature_Implement --in .
  robosmith run Feature_Implement --in . --show-prompt
  robosmith run Feature_Implement --in . --input @task.md --trust --json
  robosmith run Feature_Implement --in . --answer Feature_Implement__Review=next
`,

  resume: `Usage: robosmith resume [options] [run]

go on with a run: after a stop or a crash, or with an answer

Arguments:
  run                its id, or how that begins (default: the newest run that can go on)

Options:
  --retry            execute the block again that halted, or with which the run failed
  --proceed          execute it now: of a gate, of step mode; it is done: of work by hand
  --next             go on with the block after it
  --jump <block>     go on with this block
  --abort            end the run
  --guidance <text>  a word for the workers, with any of these answers
  --halt <id>        which halt, when several wait
  --manifest <new>   "new": follow its manifest as it is today
  --due              go on with every run whose time has come
  --trust            let this project run its commands, now and later
  --json             print the Response as one JSON document
  --jsonl            stream the events, one JSON document a line
  -h, --help         show help

Exit code: 0 success or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith resume
  robosmith resume r3f2a91 --retry --guidance "the port is 8080"
  robosmith resume r3f2a91 --jump Feature_Implement__WriteCode
`,

  inbox: `Usage: robosmith inbox [options]

what waits for you, with the commands that answer it

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith inbox
`,

  notify: `Usage: robosmith notify [options]

be told on the desktop or by a webhook when something waits for you

Options:
  --desktop <on|off>  show a notice on the desktop
  --webhook <url>     post each notice there as JSON: an https address, or none
  --test              send one now
  --json              print one JSON document
  -h, --help          show help

For all your projects; told is what waits or ends in an engine host (robosmith run --detach).

Examples:
  robosmith notify --desktop on --test
  robosmith notify --webhook https://hooks.example.com/T0/B0
`,

  runs: `Usage: robosmith runs [command] [options]

list the runs of this project, look into one, steer one

Options:
  --json           print one JSON document
  -h, --help       show help

Commands:
  show <run>       its path, what it waits for, how it ended
  events <run>     what happened in it, one JSON document a line
  replay <run>     take its way again from the journal: does it come out the same? Nothing is
                   executed
  fork <run@step>  start a new run from any step of an old one; the old one stays as it is
  stop <run>       stop it now; \`robosmith resume\` goes on with it
  pause <run>      stop it after the step under way; \`robosmith resume\` goes on with it
  cancel <run>     end it for good; files stay as they are
  prune            remove runs that are over and match all that is given, with their calls of models

Examples:
  robosmith runs
  robosmith runs show r3f2a91
  robosmith runs --json
`,

  'runs show': `Usage: robosmith runs show [options] <run>

its path, what it waits for, how it ended

Arguments:
  run         its id, or how that begins

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith runs show r3f2a91
`,

  'runs events': `Usage: robosmith runs events [options] <run>

what happened in it, one JSON document a line

Arguments:
  run         its id, or how that begins

Options:
  --follow    go on until the run has ended, or Ctrl-C
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith runs events r3f2a91 --follow
`,

  'runs replay': `Usage: robosmith runs replay [options] <run>

take its way again from the journal: does it come out the same? Nothing is executed

Arguments:
  run                its id, or how that begins

Options:
  --manifest <file>  with another manifest: where would the path part?
  --json             print one JSON document
  -h, --help         show help

Exit code: 0 the same path, 1 another path, 2 trouble.

Examples:
  robosmith runs replay r3f2a91
  robosmith runs replay r3f2a91 --manifest .vision/workflows.json
`,

  'runs fork': `Usage: robosmith runs fork [options] <run@step>

start a new run from any step of an old one; the old one stays as it is

Arguments:
  run@step    a run, and the number of a step as \`runs show\` has it

Options:
  --no-start  only make it
  --trust     let this project run its commands, now and later
  --json      print the Response as one JSON document
  --jsonl     stream the events, one JSON document a line
  -h, --help  show help

Examples:
  robosmith runs fork r3f2a91@4
  robosmith runs fork r3f2a91@4 --no-start
`,

  'runs stop': `Usage: robosmith runs stop [options] <run>

stop it now; \`robosmith resume\` goes on with it

Arguments:
  run         its id, or how that begins

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith runs stop r3f2a91
`,

  'runs pause': `Usage: robosmith runs pause [options] <run>

stop it after the step under way; \`robosmith resume\` goes on with it

Arguments:
  run         its id, or how that begins

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith runs pause r3f2a91
`,

  'runs cancel': `Usage: robosmith runs cancel [options] <run>

end it for good; files stay as they are

Arguments:
  run         its id, or how that begins

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith runs cancel r3f2a91
`,

  'runs prune': `Usage: robosmith runs prune [options]

remove runs that are over and match all that is given, with their calls of models

Options:
  --older-than <age>  that ended longer ago: 12h, 30d, 8w
  --keep <number>     all but so many of the newest
  --max-size <size>   the oldest, until all together are at most so large: 100MB
  --dry-run           only say what would go
  --json              print one JSON document
  -h, --help          show help

Examples:
  robosmith runs prune --older-than 30d --dry-run
  robosmith runs prune --keep 100 --max-size 500MB
`,

  ui: `Usage: robosmith ui [options]

show Mission Control in the browser: runs, sessions, and what waits for you

Options:
  --no-open        only print the address
  --port <number>  the port on 127.0.0.1 (default: one that is free)
  --trust          let this project run its commands, now and later
  --json           print one JSON document
  -h, --help       show help

Examples:
  robosmith ui
  robosmith ui --no-open
`,
  host: `Usage: robosmith host <command> [options]

the process that runs the engine: runs go on in it, whoever comes and goes

Options:
  -h, --help      show help

Commands:
  start           start it, unless it runs
  stop            stop it as soon as no run is under way
  status          does it run, and what does it do?

Set up:
  help <command>  show help for a command

It starts by itself where it is needed: robosmith run --detach. While it lives, run and resume go there.

Examples:
  robosmith host start
  robosmith host status
  robosmith host stop
`,

  'host start': `Usage: robosmith host start [options]

start it, unless it runs

Options:
  --foreground      be the host, until Ctrl-C
  --idle <minutes>  end after so long without a run, a client or a wait (default: 10)
  --json            print one JSON document
  -h, --help        show help

Examples:
  robosmith host start
  robosmith host start --foreground --idle 60
`,

  'host stop': `Usage: robosmith host stop [options]

stop it as soon as no run is under way

Options:
  --force     now; \`robosmith resume\` goes on with what was under way
  --json      print one JSON document
  -h, --help  show help

Examples:
  robosmith host stop
  robosmith host stop --force
`,

  'host status': `Usage: robosmith host status [options]

does it run, and what does it do?

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith host status
`,

  loom: `Usage: robosmith loom <command> [options]

edit files by small operations

Options:
  -h, --help      show help

Commands:
  apply <file>    apply a list of edits as one transaction

Set up:
  help <command>  show help for a command

Example:
  robosmith loom apply ops.json --dry-run
`,

  'loom apply': `Usage: robosmith loom apply [options] <file>

apply a list of edits as one transaction

Arguments:
  file        the operations

Options:
  --dry-run   write nothing, print a unified diff
  --json      print one JSON document
  -h, --help  show help

The file, or - for the standard input, is JSON, or a model's answer with it: a list of
  { "op": "insert", "path": "…", "anchor": "…", "content": "…", "position": "before" or "after" }
  { "op": "replaceBlock", "path": "…", "start": "…", "end": "…", "content": "…" }
  { "op": "append", "path": "…", "content": "…" }
  { "op": "replaceLine", "path": "…", "line": 12, "content": "…", "expected": "…" }
All are applied, or none. Paths are those below the current directory.

Exit code: 0 applied or already there, 1 an edit does not fit and nothing was written, 2 trouble.

Examples:
  robosmith loom apply ops.json --dry-run
  robosmith loom apply ops.json
`,

  tasks: `Usage: robosmith tasks [command] [options]

show the work plan, .flow/status.md, and change it

Options:
  --strict           refuse a tree that another hand has changed since it was saved
  --json             print one JSON document
  -h, --help         show help

Commands:
  add <name>         add a pending task, at the end
  set <id> <status>  set the marker of a task
  remove <id>        remove a task with all that is below it; the old file is kept
  accept             take what another hand has changed as it is
  restore            put back what another hand has changed, as it was saved last

Markers: [ ] pending, [/] active, [x] done, [-] skipped, [!] failed. Edit the file by hand as you like.

Examples:
  robosmith tasks
  robosmith tasks add "Write the parser" --node Feature_Implement
  robosmith tasks set 1.2 done
`,

  'tasks add': `Usage: robosmith tasks add [options] <name>

add a pending task, at the end

Arguments:
  name           what is to be done; \`[git] …\` has the worker "git" of the registry do it

Options:
  --under <id>   below this task
  --before <id>  right before this task
  --node <node>  it runs this node of the manifest
  --strict       refuse a tree that another hand has changed since it was saved
  --json         print one JSON document
  -h, --help     show help

Examples:
  robosmith tasks add "Write the parser"
  robosmith tasks add "Test it" --under 1 --node Feature_Test
`,

  'tasks set': `Usage: robosmith tasks set [options] <id> <status>

set the marker of a task

Arguments:
  id                       a task, e.g. 1.2, as \`robosmith tasks\` has it
  status                   pending, active, done, skipped or failed

Options:
  --name <name>            only if this is its name
  --structure <structure>  only if the tree is the one of this \`tasks --json\`
  --strict                 refuse a tree that another hand has changed since it was saved
  --json                   print one JSON document
  -h, --help               show help

Examples:
  robosmith tasks set 1.2 done
  robosmith tasks set 3 skipped --name "Write docs"
`,

  'tasks remove': `Usage: robosmith tasks remove [options] <id>

remove a task with all that is below it; the old file is kept

Arguments:
  id                       a task, e.g. 1.2, as \`robosmith tasks\` has it

Options:
  --name <name>            only if this is its name
  --structure <structure>  only if the tree is the one of this \`tasks --json\`
  --strict                 refuse a tree that another hand has changed since it was saved
  --json                   print one JSON document
  -h, --help               show help

Example:
  robosmith tasks remove 2
`,

  'tasks accept': `Usage: robosmith tasks accept [options]

take what another hand has changed as it is

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith tasks accept
`,

  'tasks restore': `Usage: robosmith tasks restore [options]

put back what another hand has changed, as it was saved last

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith tasks restore
`,

  next: `Usage: robosmith next [options]

work on the next task: one

Options:
  --in <directory>   work in this directory as it is (default: here)
  --trust            let this project run its commands, now and later
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  --strict           refuse a tree that another hand has changed since it was saved
  --json             print one JSON document
  --jsonl            stream the events, one JSON document a line
  -h, --help         show help

Exit code: 0 done or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith next
  robosmith next --trust --json
`,

  work: `Usage: robosmith work [options]

work on tasks until none is left, or one needs you

Options:
  --in <directory>   work in this directory as it is (default: here)
  --trust            let this project run its commands, now and later
  --manifest <file>  the manifest (default: the nearest .vision/workflows.json)
  --strict           refuse a tree that another hand has changed since it was saved
  --json             print one JSON document
  --jsonl            stream the events, one JSON document a line
  -h, --help         show help

Exit code: 0 done or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.

Examples:
  robosmith work
  robosmith work --trust --json
`,

  zoom: `Usage: robosmith zoom <command> [options]

give a task a file of its own, and work in there

Options:
  -h, --help      show help

Commands:
  in <id>         later commands are about the tasks below this one, in .flow/sub_flows/
  out             go back to the file above

Set up:
  help <command>  show help for a command

Examples:
  robosmith zoom in 1.2
  robosmith zoom out
`,

  'zoom in': `Usage: robosmith zoom in [options] <id>

later commands are about the tasks below this one, in .flow/sub_flows/

Arguments:
  id                       a task, e.g. 1.2, as \`robosmith tasks\` has it

Options:
  --name <name>            only if this is its name
  --structure <structure>  only if the tree is the one of this \`tasks --json\`
  --strict                 refuse a tree that another hand has changed since it was saved
  --json                   print one JSON document
  -h, --help               show help

Example:
  robosmith zoom in 1.2
`,

  'zoom out': `Usage: robosmith zoom out [options]

go back to the file above

Options:
  --strict    refuse a tree that another hand has changed since it was saved
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith zoom out
`,

  calls: `Usage: robosmith calls [command] [options]

list the calls of models in .vision/logs, look into one, send one again, compare two, sum their cost

Options:
  --run <run>          only those of this run
  --limit <number>     at most so many, the newest
  --json               print one JSON document
  -h, --help           show help

Commands:
  list                 the same as calls alone
  show <call>          its prompt in segments, its attempts, its answer
  rerun <call>         send it again, as it was or edited, and compare; no run is touched
  diff <call> <other>  two calls side by side: what was asked differently, and what came of it
  cost                 tokens and money; a price that nobody knows is never zero

Examples:
  robosmith calls
  robosmith calls show 4f21ab
  robosmith calls --run r3f2a91
`,

  'calls list': `Usage: robosmith calls list [options]

the same as calls alone

Options:
  -h, --help  show help

Example:
  robosmith calls list --limit 20
`,

  'calls show': `Usage: robosmith calls show [options] <call>

its prompt in segments, its attempts, its answer

Arguments:
  call        its id, or how that begins

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith calls show 4f21ab
`,

  'calls rerun': `Usage: robosmith calls rerun [options] <call>

send it again, as it was or edited, and compare; no run is touched

Arguments:
  call                       its id, or how that begins

Options:
  --model <model>            ask another model
  --provider <provider>      openai, anthropic, google or openai-compatible
  --base-url <url>           the address of a server
  --temperature <number>     with another temperature
  --edit                     change the request in $EDITOR, piece by piece
  --request <file>           the edited request, as --edit shows it
  --set-instructions <text>  in place of the system message: text, or @file
  --message <text>           in place of the last piece of the last turn: text, or @file
  --times <number>           so many times, one after the other
  --json                     print one JSON document
  -h, --help                 show help

Each repeat is a call of its own in the log, is paid for, and names the call that it repeats.

Exit code: 0 answered, 1 the call failed, 2 not sent, 3 no key can be used now, 4 engine is busy.

Examples:
  robosmith calls rerun 4f21ab
  robosmith calls rerun 4f21ab --edit
  robosmith calls rerun 4f21ab --model gpt-5 --temperature 0 --times 3
`,

  'calls diff': `Usage: robosmith calls diff [options] <call> <other>

two calls side by side: what was asked differently, and what came of it

Arguments:
  call        on the left: its id, or how that begins
  other       on the right

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith calls diff 4f21ab 90cc12
`,

  'calls cost': `Usage: robosmith calls cost [options]

tokens and money; a price that nobody knows is never zero

Options:
  --by <what>  model, block, run, key or day (default: model)
  --run <run>  only those of this run
  --json       print one JSON document
  -h, --help   show help

Examples:
  robosmith calls cost
  robosmith calls cost --by block --run r3f2a91
`,

  status: `Usage: robosmith status [options]

how all sessions stand, what runs, what waits for you

Options:
  --watch     keep it on the screen, always as it is now; q ends it
  --disk      say what worktrees, runs and logs take of the disk
  --all       also sessions that are merged or discarded
  --json      print one JSON document
  -h, --help  show help

Examples:
  robosmith status
  robosmith status --watch
  robosmith status --disk --all
`,

  worktrees: `Usage: robosmith worktrees [command] [options]

what is odd about the worktrees of sessions; clean removes what is left over

Options:
  --json      print one JSON document
  -h, --help  show help

Commands:
  clean       remove what is left over and would be missed by nobody; asks first

Examples:
  robosmith worktrees
  robosmith worktrees clean
`,

  'worktrees clean': `Usage: robosmith worktrees clean [options]

remove what is left over and would be missed by nobody; asks first

Options:
  --yes       do not ask
  --json      print one JSON document
  -h, --help  show help

Goes: worktrees without a session that have no work in them, registrations of folders that are gone,
sessions of which nothing is left, and what was discarded more than 30 days ago, or was saved then before it
was written over, and is of no session that could need it. Work is never removed.

Examples:
  robosmith worktrees clean
  robosmith worktrees clean --yes --json
`,

  sessions: `Usage: robosmith sessions [command] [options]

tasks in worktrees of their own: list them, make, merge, hold and discard them

Options:
  --all               also those that are merged or discarded
  --json              print one JSON document
  -h, --help          show help

Commands:
  new <title>         make a session: a branch and a worktree, for a node of the manifest or for
                      your own work
  show <session>      where it works, what it changes, whom it waits for, its history
  terminal <session>  open your shell in its worktree
  merge <session>     merge its work into its base; in conflict, nothing changes
  update <session>    bring a base that has moved on into it; again, once conflicts are resolved
  push <session>      push its branch, and tell the page that opens a pull request
  restore <session>   bring a discarded one back, with what was not committed
  hold <session>      set it aside; the state of its run goes onto its branch, to go on here or
                      elsewhere
  discard <session>   remove its worktree and branch; for 30 days restore brings them back
  submit <session>    queue a draft
  withdraw <session>  take one out of the queue, also while its worktree is being made
  resume <session>    go on with one that is held; its worktree is made again if it is gone
  change <session>    change its title, plan, priority, base or what it waits for

Examples:
  robosmith sessions
  robosmith sessions new "Fix the login" --node Fix
`,

  'sessions new': `Usage: robosmith sessions new [options] <title>

make a session: a branch and a worktree, for a node of the manifest or for your own work

Arguments:
  title                what it is about, in a line

Options:
  --node <node>        what it runs: a node or a block; without it you work in it yourself
  --plan <glob>        a file that it means to change (repeatable); what clashes with another
                       session waits
  --priority <number>  1 goes first; without it, after all that have one
  --after <session>    start once this one is merged (repeatable: all of them)
  --base <branch>      start from this branch, and be merged into it
  --attach <branch>    work on this branch, which is there already
  --input <text>       the request: text, or @file to read it from a file
  --script <file>      scripted answers for some blocks; all others are real
  --step               halt before every block
  --draft              do not queue it yet
  --trust              let this project run its commands, now and later
  --manifest <file>    the manifest (default: the nearest .vision/workflows.json)
  --json               print one JSON document
  -h, --help           show help

Examples:
  robosmith sessions new "Fix the login" --node Fix --plan "src/login/**"
  robosmith sessions new "Try something" --priority 1
`,

  'sessions show': `Usage: robosmith sessions show [options] <session>

where it works, what it changes, whom it waits for, its history

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith sessions show s3f2a91c0
`,

  'sessions terminal': `Usage: robosmith sessions terminal [options] <session>

open your shell in its worktree

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  -h, --help  show help

Example:
  robosmith sessions terminal s3f2a91c0
`,

  'sessions merge': `Usage: robosmith sessions merge [options] <session>

merge its work into its base; in conflict, nothing changes

Arguments:
  session           its id, how that begins, its title or its branch

Options:
  --strategy <how>  squash (default), merge or rebase
  --message <text>  of the commit (default: the title)
  --verify          run the project's tests on the merged files first
  --trust           with --verify: let the manifest run its own command and set-up, now and later
  --json            print one JSON document
  -h, --help        show help

Examples:
  robosmith sessions merge s3f2a91c0
  robosmith sessions merge s3f2 --verify
`,

  'sessions update': `Usage: robosmith sessions update [options] <session>

bring a base that has moved on into it; again, once conflicts are resolved

Arguments:
  session           its id, how that begins, its title or its branch

Options:
  --resolve [node]  run a node on what is in conflict (default: the manifest's worktree.resolver)
  --detach          with --resolve: do not wait until it has ended
  --trust           let this project run its commands, now and later
  --abort           go back to before an update that is in conflict
  --json            print one JSON document
  -h, --help        show help

Examples:
  robosmith sessions update s3f2a91c0
  robosmith sessions update s3f2 --resolve Resolve
  robosmith sessions update s3f2 --abort
`,

  'sessions push': `Usage: robosmith sessions push [options] <session>

push its branch, and tell the page that opens a pull request

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --pr        open the pull request, with gh or glab where they are installed
  --json      print one JSON document
  -h, --help  show help

Examples:
  robosmith sessions push s3f2a91c0
  robosmith sessions push s3f2 --pr
`,

  'sessions restore': `Usage: robosmith sessions restore [options] <session>

bring a discarded one back, with what was not committed

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith sessions restore s3f2a91c0
`,

  'sessions hold': `Usage: robosmith sessions hold [options] <session>

set it aside; the state of its run goes onto its branch, to go on here or elsewhere

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --release   also remove its worktree, to free the disk
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith sessions hold s3f2a91c0 --release
`,

  'sessions discard': `Usage: robosmith sessions discard [options] <session>

remove its worktree and branch; for 30 days restore brings them back

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --yes       do not ask
  --force     also when its work is nowhere else; do not ask
  --json      print one JSON document
  -h, --help  show help

Examples:
  robosmith sessions discard s3f2a91c0
  robosmith sessions discard s3f2 --force
`,

  'sessions submit': `Usage: robosmith sessions submit [options] <session>

queue a draft

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith sessions submit s3f2a91c0
`,

  'sessions withdraw': `Usage: robosmith sessions withdraw [options] <session>

take one out of the queue, also while its worktree is being made

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith sessions withdraw s3f2a91c0
`,

  'sessions resume': `Usage: robosmith sessions resume [options] <session>

go on with one that is held; its worktree is made again if it is gone

Arguments:
  session     its id, how that begins, its title or its branch

Options:
  --trust     let this project run its commands, now and later
  --json      print one JSON document
  -h, --help  show help

Example:
  robosmith sessions resume s3f2a91c0
`,

  'sessions change': `Usage: robosmith sessions change [options] <session>

change its title, plan, priority, base or what it waits for

Arguments:
  session              its id, how that begins, its title or its branch

Options:
  --title <text>       another title
  --plan <glob>        its plan from now on (repeatable); none takes all away
  --priority <number>  1 goes first; none takes it away
  --after <session>    what it waits for from now on (repeatable); none takes all away
  --base <branch>      merge it into this branch
  --json               print one JSON document
  -h, --help           show help

Example:
  robosmith sessions change s3f2a91c0 --priority 1 --plan "src/**" --plan README.md
`,
};
