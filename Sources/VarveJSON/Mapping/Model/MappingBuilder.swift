/// One line of a mapping.
public enum MappingElement: Sendable {
  /// A property.
  case attribute(Attribute)
  /// A relation.
  case relation(MappedRelation)
}

/// Builds the lines of a mapping.
@resultBuilder
public enum MappingBuilder {
  /// A property.
  public static func buildExpression(_ attribute: Attribute) -> [MappingElement] {
    [.attribute(attribute)]
  }

  /// A to-one relation.
  public static func buildExpression(_ relation: ToOne) -> [MappingElement] {
    [.relation(relation.relation)]
  }

  /// A to-many relation.
  public static func buildExpression(_ relation: ToMany) -> [MappingElement] {
    [.relation(relation.relation)]
  }

  /// Consecutive lines.
  public static func buildBlock(_ parts: [MappingElement]...) -> [MappingElement] {
    parts.flatMap { $0 }
  }

  /// Optional lines.
  public static func buildOptional(_ part: [MappingElement]?) -> [MappingElement] { part ?? [] }

  /// The lines of the first branch.
  public static func buildEither(first part: [MappingElement]) -> [MappingElement] { part }

  /// The lines of the second branch.
  public static func buildEither(second part: [MappingElement]) -> [MappingElement] { part }

  /// The lines of a loop.
  public static func buildArray(_ parts: [[MappingElement]]) -> [MappingElement] {
    parts.flatMap { $0 }
  }
}
