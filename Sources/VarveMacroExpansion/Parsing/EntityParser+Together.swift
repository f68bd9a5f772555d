import SwiftSyntax

/// Parses the arguments `uniqueTogether` and `indexedTogether`.
extension EntityParser {
  /// Returns the lists of properties, by their stored names.
  mutating func together(_ argument: String, _ properties: [PropertySpec]) -> [[String]] {
    guard let written = attribute.argumentList[argument] else { return [] }
    guard let lists = written.as(ArrayExprSyntax.self)?.elements.map(\.expression) else {
      report(.listNotLiteral(argument: argument), at: written)
      return []
    }
    return lists.map { list in
      guard let names = list.as(ArrayExprSyntax.self)?.elements.map(\.expression) else {
        report(.listNotLiteral(argument: argument), at: list)
        return []
      }
      return names.compactMap { storedName($0, argument, among: properties) }
    }
  }

  private mutating func storedName(
    _ written: ExprSyntax,
    _ argument: String,
    among properties: [PropertySpec]
  ) -> String? {
    guard let name = written.literalText else {
      report(.listNotLiteral(argument: argument), at: written)
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
