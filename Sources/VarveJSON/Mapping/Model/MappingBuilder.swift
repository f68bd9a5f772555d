/// One line of a mapping.
public enum MappingElement: Sendable {
  /// A property.
  case attribute(Attribute)
  /// A relation.
  case relation(MappedRelation)
}

/// Puts the lines of a mapping together.
@resultBuilder
public enum MappingBuilder {
  /// A property.
  public static func buildExpression(_ attribute: Attribute) -> [MappingElement] {
    [.attribute(attribute)]
  }

  /// A relation to one.
  public static func buildExpression(_ relation: ToOne) -> [MappingElement] {
    [.relation(relation.relation)]
  }

  /// A relation to many.
  public static func buildExpression(_ relation: ToMany) -> [MappingElement] {
    [.relation(relation.relation)]
  }

  /// Lines one after another.
  public static func buildBlock(_ parts: [MappingElement]...) -> [MappingElement] {
    parts.flatMap { $0 }
  }

  /// Lines that may be missing.
  public static func buildOptional(_ part: [MappingElement]?) -> [MappingElement] { part ?? [] }

  /// Lines of one branch.
  public static func buildEither(first part: [MappingElement]) -> [MappingElement] { part }

  /// Lines of the other branch.
  public static func buildEither(second part: [MappingElement]) -> [MappingElement] { part }

  /// Lines of a loop.
  public static func buildArray(_ parts: [[MappingElement]]) -> [MappingElement] {
    parts.flatMap { $0 }
  }
}
