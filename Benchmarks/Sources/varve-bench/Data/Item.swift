import Foundation
import VarveCore

/// One entity: seven properties and a reference, as every contestant gets it.
struct Item {
  /// The identifier, in the forms the contestants use.
  var id: EntityID
  var textID: String
  var name: String
  /// One of a hundred cities, by which the filter selects.
  var city: String
  var note: String
  var count: Int
  var price: Double
  var isActive: Bool
  var created: Date
  var supplier: EntityID
  var textSupplier: String

  /// The number of cities.
  static let cityCount = 100

  static func city(_ number: Int) -> String { "city-" + String(1_000 + number % cityCount) }
}
