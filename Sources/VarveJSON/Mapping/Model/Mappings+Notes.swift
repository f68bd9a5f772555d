import VarveCore
import VarveStore

extension Mappings {
  /// The choices in the mappings that may have an effect nobody wants, with their places in a mapping
  /// file.
  ///
  /// These are lists of targets that have an identification: if two stores import the same document
  /// before they synchronise, a list shows its elements twice, and an ordered set once (R8).
  public var notes: [ImportReport.Diagnostic] {
    names.flatMap { name in
      (self[name]?.relations ?? []).enumerated().compactMap { index, relation in
        guard relation.many == .list, self[relation.mapping]?.identification != nil else {
          return nil
        }
        return ImportReport.Diagnostic(
          pointer: JSONPointer.text("mappings", name, "relationships", String(index), "many"),
          reason: "if two stores import the same document before they synchronise, a list has its "
            + "elements twice; an orderedSet has them once"
        )
      }
    }
  }
}
