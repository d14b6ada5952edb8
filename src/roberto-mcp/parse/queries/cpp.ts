import { C_BASE, C_NAMES } from './c.ts';

export const CPP = `
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(field_declaration declarator: (function_declarator) @declarator) @method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator)) @declarator) @method
(field_declaration declarator: (reference_declarator (function_declarator)) @declarator) @method
(field_declaration declarator: (_) @declarator) @field
(struct_specifier name: [(template_type) (qualified_identifier)] @name body: (_)) @struct
(declaration declarator: (reference_declarator (function_declarator)) @declarator) @prototype
${C_BASE}`;

export const CPP_NAMES = [...C_NAMES, 'namespace_identifier'];
