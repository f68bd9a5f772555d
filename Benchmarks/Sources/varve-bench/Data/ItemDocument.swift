import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// Items as a JSON array, and the mapping that makes entities of it.
struct ItemDocument {
  let path: String
  let byteCount: Int
  /// The text, followed by the padding that simdjson needs.
  let bytes: [UInt8]
  /// The entities an import makes, as rows to be inserted by hand.
  let rows: [(EntityID, [Value?])]

  static let keys: [PropertyKey] = [
    "id", "name", "city", "note", "count", "price", "isActive", "created", "supplier",
  ]

  static let mappings: Mappings = {
    let item = Mapping("Item", identifiedBy: "id") {
      for key in keys where key != "created" { Attribute(KeyPathInJSON(key.text)) }
      Attribute("created", .date("yyyy-MM-dd"))
    }
    var mappings = Mappings([item])
    mappings.roots = [.init(as: "Item")]
    return mappings
  }()

  /// Writes a document of a number of items.
  init(_ count: Int, to path: String, padding: Int) throws {
    self.path = path
    var generator = ItemGenerator(seed: 3, noteByteCount: 120)
    let day = DatePattern("yyyy-MM-dd")
    var bytes: [UInt8] = Array("[".utf8)
    var rows: [(EntityID, [Value?])] = []
    for index in 0..<count {
      let item = generator.next()
      let created = day?.write(item.created) ?? ""
      let text = """
        \(index == 0 ? "" : ",")
        {"id":"\(item.textID)","name":"\(item.name)","city":"\(item.city)","note":"\(item.note)",\
        "count":\(item.count),"price":\(item.price),"isActive":\(item.isActive),\
        "created":"\(created)","supplier":"\(item.textSupplier)"}
        """
      bytes += text.utf8
      rows.append(
        (
          try EntityID("Item/\(item.textID)"),
          [
            .string(item.textID), .string(item.name), .string(item.city), .string(item.note),
            .int(Int64(item.count)), .double(item.price), .bool(item.isActive),
            day?.read(created).map(Value.date), .string(item.textSupplier),
          ]
        )
      )
    }
    bytes += "\n]\n".utf8
    byteCount = bytes.count
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    bytes += [UInt8](repeating: 0, count: padding)
    self.bytes = bytes
    self.rows = rows
  }
}
