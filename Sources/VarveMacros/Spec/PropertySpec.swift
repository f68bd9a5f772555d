/// What is stored of one property of a model.
package struct PropertySpec: Equatable, Sendable {
  /// Where a property is kept.
  package enum Storage: Equatable, Sendable {
    /// In the entity's row. What is missing there leaves the value the struct begins with, if there
    /// is one.
    case column(hasDefault: Bool)
    /// Elsewhere: a relation to many is loaded only when it is asked for.
    case many
  }

  /// The property as code names it, with backticks where it has them.
  package var name: String
  /// The name it is stored under.
  package var storedName: String
  package var storage: Storage
  /// Its options, as expressions.
  package var options: [String]

  package init(
    _ name: String,
    storedName: String? = nil,
    _ storage: Storage = .column(hasDefault: false),
    options: [String] = []
  ) {
    self.name = name
    self.storedName = storedName ?? name.withoutBackticks
    self.storage = storage
    self.options = options
  }

  /// Whether rows have a value for it.
  var isColumn: Bool { storage != .many }
}

extension String {
  /// An identifier without the backticks that make it one.
  package var withoutBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }
}
