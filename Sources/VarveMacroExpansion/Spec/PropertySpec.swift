/// The stored form of one property of a model.
package struct PropertySpec: Equatable, Sendable {
  /// The storage of a property.
  package enum Storage: Equatable, Sendable {
    /// In the entity's row. A missing value leaves the initial value, if there is one.
    case column(hasDefault: Bool)
    /// Outside the row: a to-many relation is loaded only on request.
    case many
  }

  /// The property's name in code, including backticks.
  package var name: String
  /// The property's stored name.
  package var storedName: String
  package var storage: Storage
  /// The property's options, as expressions.
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

  /// Whether rows have a value for the property.
  var isColumn: Bool { storage != .many }
}

extension String {
  /// An identifier without its backticks.
  package var withoutBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }
}
