import { KEPT_BACK } from '#protocol/outbound.ts';

/** The starter's `.vision/ignore`: explains the built-in rules and how to add more. */
export const STARTER_OUTBOUND_RULES = `# What must not leave this machine. A file that matches a rule is never put into a prompt or into the code index.
# The syntax is that of .gitignore. The rules below always apply. To make an exception, write the rule with ! before it
# into the file "ignore" of your configuration folder (\`robosmith doctor\` names it); .git/ has no exception.
#
${KEPT_BACK.map((line) => `#   ${line}`).join('\n')}
#
# For example:
#   /customers/
#   *.sqlite
#   !/customers/example.json
`;
