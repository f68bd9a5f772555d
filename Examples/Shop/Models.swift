import Foundation
import Varve

/// A shop that owns its hats.
@Entity struct Shop {
  var id = Identifier<Shop>()
  @Field(.required, .unique) var name: String
  @Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat> = Many()
}

/// A kind of hat on the shelf. No shop has one name in one size twice.
@Entity(uniqueTogether: [["shop", "name", "size"]])
struct Hat {
  enum Material: String { case felt, straw, wool }

  var id = Identifier<Hat>()
  @Field(.length(1...40)) var name: String
  @Field(.range(50...65)) var size: Int
  @Field("price_cents", .range(1...)) var priceCents: Int
  var material = Material.felt
  var stock = 0
  var shop: Ref<Shop>?

  /// Not stored, for it is computed.
  var price: String { String(format: "%d.%02d", priceCents / 100, priceCents % 100) }
}

/// A customer, with their orders.
@Entity struct Customer {
  var id = Identifier<Customer>()
  @Field(.required) var name: String
  @Field(.pattern(#"[^@\s]+@[^@\s]+"#), .unique) var email: String
  @Relation(.owns, inverse: \Order.customer) var orders: Many<Order> = Many()
}

/// An order of one kind of hat.
@Entity struct Order {
  var id = Identifier<Order>()
  var customer: Ref<Customer>
  var hat: Ref<Hat>
  @Field(.range(1...)) var count = 1
  var createdAt: Date?

  /// Checks the rules that concern several properties.
  func validate(_ validation: Validation) -> Validation {
    guard let stock = hat.loaded?.stock, count > stock else { return validation }
    return validation.adding(key: "count", message: "tooMany", data: ["stock": "\(stock)"])
  }
}
