import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The program the compiler asks to expand Varve's macros.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    EntityMacro.self, ClassMacro.self, FieldMacro.self, RelationMacro.self, TransientMacro.self,
  ]
}
