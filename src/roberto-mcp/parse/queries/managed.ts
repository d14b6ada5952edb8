export const CSHARP = `
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @enum_member
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @constructor
(destructor_declaration name: (identifier) @name) @method
(property_declaration name: (identifier) @name) @property
(event_declaration name: (identifier) @name) @property
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @package)
(using_directive) @import
`;

export const CSHARP_NAMES = ['identifier'];

export const JAVA = `
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @enum_member
(method_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(compact_constructor_declaration name: (identifier) @name) @constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration) @import
`;

export const JAVA_NAMES = ['identifier', 'type_identifier'];

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
