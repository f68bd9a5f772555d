import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The program with which the compiler expands Varve's macros.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    EntityMacro.self, ClassMacro.self, FieldMacro.self, RelationMacro.self, TransientMacro.self,
  ]
}
