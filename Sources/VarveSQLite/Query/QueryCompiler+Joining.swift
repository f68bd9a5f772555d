import VarveCore

/// The joins of a query.
extension QueryCompiler {
  /// Returns a join, which follows the joins before it.
  func compile(_ join: Join, _ index: Int) throws -> SQLFragment {
    switch join {
    case .sql(let text, let values): return SQLFragment(" \(text)", values.map(SQLValue.init))
    case .entities(let type, let field, let other):
      let source = try self.source(.joined(type, field))
      let otherSource = try self.source(other, after: index)
      guard let left = source.joinOperand(field), let right = otherSource.joinOperand(other)
      else { return SQLFragment(" JOIN \(source.from) ON 0") }
      let equality = JoinOperand.equality(left, right)
      let areIdentifiers = left.sort == .identifiers && right.sort == .identifiers
      let identity = "varve_i\(index)"
      // An entity table has no index on the identifier. The identity table finds the row, unless
      // the query starts at the other side of the join.
      if usesIdentities, areIdentifiers, field.inner == .identifier,
        !(otherSource.isIndexed(other) && query.condition.equatesJoined(type))
      {
        return SQLFragment(
          """
           JOIN varve_identity AS \(identity) ON \(identity).id = \(right.sql) \
          JOIN \(source.from) ON \(source.alias).row = \(identity).row AND \(equality)
          """
        )
      }
      if usesIdentities, areIdentifiers, other.inner == .identifier {
        return SQLFragment(
          """
           JOIN \(source.from) ON \(equality) \
          JOIN varve_identity AS \(identity) ON \(identity).id = \(left.sql) \
          AND \(identity).row = \(otherSource.alias).row
          """
        )
      }
      return SQLFragment(" JOIN \(source.from) ON \(equality)")
    }
  }

  /// Returns the table that a field belongs to after only some joins have been made.
  ///
  /// Before the query's own type has been joined, fields of that type belong to the main table.
  private func source(_ field: Field, after joins: Int) throws -> TableSource {
    guard let type = field.joinedType, type == query.type else { return try source(field) }
    let isJoined = query.joins.prefix(joins).contains { join in
      if case .entities(query.type, _, _) = join { true } else { false }
    }
    return isJoined ? try source(field) : main
  }
}

extension Condition {
  /// Returns whether the condition requires that a field of a joined type equals a value.
  fileprivate func equatesJoined(_ type: EntityType) -> Bool {
    conjuncts.contains { part in
      switch part {
      case .compare(.joined(type, _), .equal, _), .isIn(.joined(type, _), _): true
      default: false
      }
    }
  }
}
