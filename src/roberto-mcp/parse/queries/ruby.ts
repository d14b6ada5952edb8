export const RUBY = `
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (constant) @name) @class
(class name: (scope_resolution name: (constant) @name)) @class
(module name: (constant) @name) @module
(module name: (scope_resolution name: (constant) @name)) @module
(assignment left: (constant) @name) @constant
((call method: (identifier) @callee arguments: (argument_list . (string) .)) @import (#any-of? @callee "require" "require_relative" "load"))
`;

export const RUBY_NAMES = [
  'identifier',
  'constant',
  'instance_variable',
  'class_variable',
  'global_variable',
  'setter',
];
