import SwiftCompilerPlugin
import SwiftSyntaxMacros
import VarveMacroExpansion

/// The program with which the compiler expands Varve's macros.
///
/// It has no code of its own. A test that depended on it would be built for the compiler's machine,
/// with everything that the tests of the package use, a second time.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    EntityMacro.self, ClassMacro.self, FieldMacro.self, RelationMacro.self, TransientMacro.self,
  ]
}

/// `@Entity`: makes a struct a model.
enum EntityMacro: EntityExpanding {}

/// `@Entity(kind:)`: makes a class one of live objects.
enum ClassMacro: ClassExpanding {}

/// `@Field`: the stored name of a property, and its options.
enum FieldMacro: MarkExpanding {}

/// `@Relation`: how a property relates models.
enum RelationMacro: MarkExpanding {}

/// `@Transient`: a property that is not stored.
enum TransientMacro: MarkExpanding {}
