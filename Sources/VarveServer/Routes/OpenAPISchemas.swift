#if Server
import VarveCore
import VarveJSON

/// The schemas of what the server takes and replies.
enum Schemas {
  static let text: JSON = ["type": "string"]
  static let bytes: JSON = ["type": "string", "format": "binary"]
  static let anything: JSON = [:]
  static let count: JSON = ["type": "integer", "minimum": 0]
  static let object: JSON = ["type": "object"]

  static let role: JSON = [
    "type": "string", "enum": .array(Role.allCases.map { .string($0.rawValue) }),
  ]

  static func reference(_ name: String) -> JSON {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  static func array(_ items: JSON) -> JSON { ["type": "array", "items": items] }

  /// An object with properties, which are all there.
  static func object(_ properties: [(String, JSON)]) -> JSON {
    [
      "type": "object", "required": .array(properties.map { .string($0.0) }),
      "properties": .object(properties.map { JSON.Member(name: $0.0, value: $0.1) }),
    ]
  }

  /// A list without pages.
  static func list(_ items: JSON) -> JSON { object([("items", array(items))]) }

  /// A page of a list.
  static func page(_ items: JSON) -> JSON {
    object([("items", array(items)), ("next", ["type": ["string", "null"]])])
  }

  /// Each event of a stream, as its reader has it: `data` is a text, and `id` is where a stream
  /// continues, if it can.
  static func event(_ names: String...) -> JSON {
    [
      "type": "object", "description": "Each event of the stream.", "required": ["event", "data"],
      "properties": [
        "event": ["type": "string", "enum": .array(names.map { .string($0) })], "id": text,
        "data": text,
      ],
      "additionalProperties": false,
    ]
  }

  /// A part of the path.
  static func part(_ name: String) -> JSON {
    guard name == "space" else { return ["type": "string", "minLength": 1] }
    return [
      "type": "string", "pattern": "^[A-Za-z0-9](?:[A-Za-z0-9_-]|\\.(?!\\.|$))*$",
      "maxLength": .count(SpaceName.maximumByteCount),
    ]
  }

  /// The named schemas.
  static let named: JSON = [
    "Problem": [
      "type": "object", "required": ["type", "title", "status", "detail", "code"],
      "properties": [
        "type": text, "title": text, "status": ["type": "integer"], "detail": text, "code": text,
        "at": ["type": ["string", "null"]], "remedy": ["type": ["string", "null"]],
      ],
    ],
    "Space": object([
      ("name", text), ("id", text), ("position", text), ("commits", count),
      ("role", ["type": ["string", "null"]]), ("author", ["type": ["string", "null"]]),
      ("frontier", ["type": "array"]),
    ]),
    "SpaceListing": object([("name", text), ("id", text), ("role", text)]),
    "Entity": object([("id", text), ("type", text), ("properties", object)]),
    "EntityWithRelations": object([
      ("id", text), ("type", text), ("properties", object), ("relations", object),
    ]),
    "Grant": object([
      ("subject", text), ("issuer", text), ("role", role), ("by", ["type": ["string", "null"]]),
      ("time", text),
    ]),
    "GrantRequest": [
      "type": "object", "required": ["subject", "role"], "additionalProperties": false,
      "properties": [
        "subject": [
          "type": "string", "minLength": 1, "maxLength": .count(KeptRole.Holder.subjectByteCount),
        ], "role": role, "issuer": text,
      ],
    ],
    "Operation": [
      "type": "object", "required": ["op"], "properties": ["op": text],
      "description": "One operation; Documentation/Operations.md describes each.",
    ],
    "Result": [
      "type": "object", "required": ["ok", "result"],
      "properties": [
        "ok": ["type": "boolean"], "result": anything,
        "resultOmitted": [
          "type": "boolean",
          "description": "Whether the result of a repeated request was too large to be kept.",
        ],
      ],
    ],
  ]
}
#endif
