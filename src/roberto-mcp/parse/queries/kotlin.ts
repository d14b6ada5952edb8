export const KOTLIN = `
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @class
(enum_entry (identifier) @name) @enum_member
(function_declaration name: (identifier) @name) @function
(type_alias type: (identifier) @name) @type
(property_declaration (variable_declaration (identifier) @name)) @variable @statement
(package_header (qualified_identifier) @package)
(import) @import
`;

export const KOTLIN_NAMES = ['identifier'];
