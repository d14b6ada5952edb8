export const BASH = `
(function_definition name: (word) @name) @function
(variable_assignment name: (variable_name) @name) @variable @statement
(declaration_command (variable_assignment name: (variable_name) @name)) @variable @statement
((command name: (command_name (word) @callee)) @import (#any-of? @callee "source" "."))
`;

export const BASH_NAMES = ['variable_name', 'command_name', 'special_variable_name'];
