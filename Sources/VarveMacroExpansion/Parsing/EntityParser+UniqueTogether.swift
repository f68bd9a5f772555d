import SwiftSyntax

/// Parses the argument `uniqueTogether`.
extension EntityParser {
  /// Returns the lists of properties, by their stored names.
  mutating func uniqueTogether(_ properties: [PropertySpec]) -> [[String]] {
    guard let written = attribute.argumentList["uniqueTogether"] else { return [] }
    guard let lists = written.as(ArrayExprSyntax.self)?.elements.map(\.expression) else {
      report(.uniqueNotLiteral, at: written)
      return []
    }
    return lists.map { list in
      guard let names = list.as(ArrayExprSyntax.self)?.elements.map(\.expression) else {
        report(.uniqueNotLiteral, at: list)
        return []
      }
      return names.compactMap { storedName($0, among: properties) }
    }
  }

  private mutating func storedName(
    _ written: ExprSyntax,
    among properties: [PropertySpec]
  ) -> String? {
    guard let name = written.literalText else {
      report(.uniqueNotLiteral, at: written)
      return nil
    }
    guard let property = properties.first(where: { $0.name.withoutBackticks == name }) else {
      report(.uniqueUnknown(name: name), at: written)
      return nil
    }
    if !property.isColumn { report(.uniqueWithoutColumn(name: name), at: written) }
    return property.storedName
  }
}
