import Foundation
import VarveCore
import VarveStore

extension RawItem: HasPlainItem {
  func plain() -> RawItem { self }
}

extension ItemRecord: HasPlainItem {
  func plain() -> RawItem {
    RawItem(
      id: id,
      name: name,
      city: city,
      note: note,
      count: count,
      price: price,
      isActive: isActive,
      created: Date(timeIntervalSinceReferenceDate: created),
      supplier: supplier
    )
  }
}

extension ItemRow: HasPlainItem {
  func plain() -> RawItem {
    RawItem(
      id: id,
      name: name,
      city: city,
      note: note,
      count: count,
      price: price,
      isActive: isActive,
      created: Date(timeIntervalSinceReferenceDate: created),
      supplier: supplier
    )
  }
}

extension StockItem: HasPlainItem {
  func plain() -> RawItem {
    RawItem(
      id: id.text,
      name: name,
      city: city,
      note: note,
      count: count,
      price: price,
      isActive: isActive,
      created: created,
      supplier: supplier.id.text
    )
  }
}

extension StoredEntity: HasPlainItem {
  func plain() throws -> RawItem {
    guard case .string(let name)? = self["name"], case .string(let city)? = self["city"],
      case .string(let note)? = self["note"], case .int(let count)? = self["count"],
      case .double(let price)? = self["price"], case .bool(let isActive)? = self["isActive"],
      case .date(let created)? = self["created"], case .reference(let supplier)? = self["supplier"]
    else { throw RawError(description: "an item lacks a property") }
    return RawItem(
      id: id.text,
      name: name,
      city: city,
      note: note,
      count: Int(count),
      price: price,
      isActive: isActive,
      created: created,
      supplier: supplier.text
    )
  }
}
