import VarveCore
import VarveJSON
import VarveStore

/// Runs validations and returns their errors.
extension World {
  /// `validate`: the errors that checks find, in order.
  func validate(_ operation: JSON, in store: Store) async throws -> JSON {
    var validation = Validation(model: operation["model"]?.stringValue ?? "")
    for check in operation["checks"]?.elements ?? [] {
      let parts = check.elements ?? []
      if parts.first == "unique" {
        validation = try await Self.unique(validation, parts, in: store)
      } else {
        validation = try Self.checked(validation, parts)
      }
    }
    return [
      "valid": .bool(validation.isValid),
      "errors": .array(validation.errors.map(Self.json)),
    ]
  }

  /// `["unique", {column: value}, {id}]`: no other row has the values.
  private static func unique(
    _ validation: Validation,
    _ parts: [JSON],
    in store: Store
  ) async throws -> Validation {
    guard parts.count >= 2, case .object(let members) = parts[1] else {
      throw CaseFailure.malformed("unique needs columns")
    }
    let model = try RecordModels.model(validation.model)
    let values = try members.map { member in
      (PropertyKey(member.name), try RecordModels.value(member.name, member.value))
    }
    let own = parts.count > 2 ? parts[2]["id"] : nil
    return try await validation.unique(
      Dictionary(values) { $1 },
      among: model.entityType,
      excluding: try own.flatMap { $0 == .null ? nil : try RecordModels.id(model.name, $0) },
      in: store
    )
  }

  /// `localize`: an error by the texts given, and no others.
  static func localize(_ operation: JSON) throws -> JSON {
    guard let error = operation["error"] else { throw CaseFailure.malformed("no error is given") }
    let messages = try Messages(tree: tree(operation["messages"] ?? .null))
    let text = messages.text(
      for: ValidationError(
        model: error["model"]?.stringValue ?? "",
        key: error["key"]?.stringValue ?? "",
        message: error["message"]?.stringValue ?? "",
        data: try texts(error["data"])
      ),
      locale: operation["locale"]?.stringValue ?? "en"
    )
    return .string(text)
  }

  /// Returns the validation with a check, which consists of a name, a key and its arguments.
  private static func checked(_ validation: Validation, _ check: [JSON]) throws -> Validation {
    guard check.count >= 3, let name = check[0].stringValue, let key = check[1].stringValue else {
      throw CaseFailure.unsupported("check \(JSON.array(check).text)")
    }
    switch name {
    case "presence": return validation.presence(of: key, try value(check[2]))
    case "bounds" where check.count == 4:
      return validation.bounds(
        of: key,
        try value(check[2]),
        min: try value(check[3]["min"]),
        max: try value(check[3]["max"])
      )
    case "error":
      let data = check.count > 3 ? try texts(check[3]) : [:]
      return validation.adding(key: key, message: check[2].stringValue ?? "", data: data)
    default: throw CaseFailure.unsupported("check \(name)")
    }
  }

  private static func json(_ error: ValidationError) -> JSON {
    let data = error.data.sorted { $0.key < $1.key }
    return [
      "model": .string(error.model), "key": .string(error.key), "message": .string(error.message),
      "data": .object(data.map { JSON.Member(name: $0.key, value: .string($0.value)) }),
    ]
  }

  private static func value(_ json: JSON?) throws -> Value? {
    guard let json, json != .null else { return nil }
    return try Value(json: json)
  }

  /// Returns nested objects as nested dictionaries.
  private static func tree(_ json: JSON) throws -> Value {
    guard case .object(let members) = json else { return try Value(json: json) }
    let fields = try members.map { (PropertyKey($0.name), try tree($0.value)) }
    return .dictionary(Dictionary(fields) { $1 })
  }

  private static func texts(_ json: JSON?) throws -> [String: String] {
    guard case .object(let members)? = json else { return [:] }
    let texts = members.map { ($0.name, $0.value.stringValue ?? $0.value.text) }
    return Dictionary(texts) { $1 }
  }
}
