package import Foundation
package import VarveStore

/// A model that owns others through their references, and has a list.
package struct Stall: Persistable {
  package static let schema = Schema<Stall>("stalls") {
    SchemaField("name", \.name)
    SchemaField("caps", \.caps, .relation(.owns, inverse: \Cap.stall))
    SchemaField("shelf", \.shelf, .relation(as: .list))
  }

  package var id: Identifier<Stall>
  package var name: String
  package var caps = Many<Cap>()
  package var shelf = Many<Cap>()

  package init(id: Identifier<Stall>, name: String) {
    self.id = id
    self.name = name
  }

  package init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
  }

  package func write(to values: inout PropertyValues) throws { try values.append(name) }
}

/// A model that is owned, and keeps the dates of its saves.
package struct Cap: Persistable {
  package static let schema = Schema<Cap>("caps") {
    SchemaField("color", \.color)
    SchemaField("size", \.size)
    SchemaField("stall", \.stall)
    SchemaField("created_at", \.createdAt, .createdAt)
    SchemaField("updated_at", \.updatedAt, .updatedAt)
  }

  package var id: Identifier<Cap>
  package var color: String
  package var size: Int?
  package var stall: Ref<Stall>?
  package var createdAt: Date?
  package var updatedAt: Date?

  package init(id: Identifier<Cap>, color: String, size: Int? = nil) {
    self.id = id
    self.color = color
    self.size = size
  }

  package init(row: EntityRow) throws {
    id = try row.id()
    color = try row.read(0)
    size = try row.read(1)
    stall = try row.read(2)
    createdAt = try row.read(3)
    updatedAt = try row.read(4)
  }

  package func write(to values: inout PropertyValues) throws {
    try values.append(color)
    try values.append(size)
    try values.append(stall)
    try values.append(createdAt)
    try values.append(updatedAt)
  }
}
