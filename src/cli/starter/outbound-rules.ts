import { KEPT_BACK } from '#protocol/outbound.ts';

/** The starter's `.vision/ignore`: explains the built-in rules and how to add more. */
export const STARTER_OUTBOUND_RULES = `# What must not leave this machine. A file that matches is in no prompt and in no index, whoever asks for it.
# The syntax is that of .gitignore. The lines below hold in any case: only a file "ignore" in your own configuration folder
# (\`robosmith doctor\` names it) takes one of them back, with ! before it; .git/ never.
#
${KEPT_BACK.map((line) => `#   ${line}`).join('\n')}
#
# For example:
#   /customers/
#   *.sqlite
#   !/customers/example.json
`;
