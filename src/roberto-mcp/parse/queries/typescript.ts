import { ECMASCRIPT_BASE, ECMASCRIPT_NAMES } from './javascript.ts';

const members = '[(property_identifier) (private_property_identifier)]';
export const TYPESCRIPT_NAMES = [...ECMASCRIPT_NAMES, 'type_identifier'];

export const TYPESCRIPT = `
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(enum_body name: ${members} @name @enum_member)
(enum_body (enum_assignment name: ${members} @name) @enum_member)
(function_signature name: (identifier) @name) @function
(abstract_method_signature name: ${members} @name) @method
(method_signature name: ${members} @name) @method
(public_field_definition name: ${members} @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: ${members} @name) @field
(interface_body (property_signature name: ${members} @name) @property)
(type_alias_declaration value: (object_type (property_signature name: ${members} @name) @property))
(internal_module name: [(identifier) (nested_identifier)] @name) @module
(module name: (identifier) @name) @module
${ECMASCRIPT_BASE}
`;
