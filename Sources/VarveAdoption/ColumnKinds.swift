import VarveCore

/// What the fields of one column are, from which its kind follows.
struct ColumnKinds {
  /// What a field is by itself.
  private enum Form: Int, CaseIterable {
    case integer
    /// An integer that no double equals.
    case wideInteger
    case double
    /// A number that no double equals.
    case decimal
    case boolean
    case date
    case text
  }

  private struct Seen {
    var count = 0
    var line = 0
    var text = ""
  }

  private var seen = [Seen](repeating: Seen(), count: Form.allCases.count)

  /// Takes the text of a field that has a value.
  mutating func take(_ text: String, line: Int) {
    let place = Self.form(of: text).rawValue
    if seen[place].count == 0 { (seen[place].line, seen[place].text) = (line, text) }
    seen[place].count += 1
  }

  private static func form(of text: String) -> Form {
    if let integer = WrittenNumber.integer(text) {
      // Up to this, every integer is a double whose shortest text it is.
      guard integer.magnitude > UInt64(1) << 53 else { return .integer }
      return WrittenNumber(text)?.double(of: text) == nil ? .wideInteger : .integer
    }
    if let number = WrittenNumber(text) {
      if number.double(of: text) != nil { return .double }
      // A decimal has 38 digits, and a limited power of ten.
      return DecimalNumber(text).flatMap { WrittenNumber($0.text) } == number ? .decimal : .text
    }
    if text == "true" || text == "false" { return .boolean }
    return DateText.date(text) == nil ? .text : .date
  }

  private func count(_ forms: Set<Form>) -> Int {
    forms.reduce(0) { $0 + seen[$1.rawValue].count }
  }

  private var total: Int { count(Set(Form.allCases)) }

  private static let numbers: Set<Form> = [.integer, .wideInteger, .double, .decimal]

  /// The kinds, the narrowest first, with the forms that they keep.
  private static let choices: [(kind: FieldKind, forms: Set<Form>)] = [
    (.integer, [.integer, .wideInteger]), (.double, [.integer, .double]), (.decimal, numbers),
    (.boolean, [.boolean]), (.date, [.date]),
  ]

  /// The narrowest kind that keeps all fields; text if there are none.
  var kind: FieldKind {
    guard total > 0 else { return .text }
    return Self.choices.first { count($0.forms) == total }?.kind ?? .text
  }

  /// The field because of which the column is text or decimal, though most fields are narrower.
  var exception: CommaSeparatedColumn.Exception? {
    switch kind {
    case .decimal: return exception(to: [.integer, .double], of: .double)
    case .text:
      let groups: [(FieldKind, Set<Form>)] = [
        (.decimal, Self.numbers), (.boolean, [.boolean]), (.date, [.date]),
      ]
      guard let (kind, forms) = groups.first(where: { count($0.1) * 2 > total }) else { return nil }
      return exception(to: forms, of: kind == .decimal ? numericKind : kind)
    default: return nil
    }
  }

  /// The kind that the numbers of the column would have alone.
  private var numericKind: FieldKind {
    let numbers = count(Self.numbers)
    return Self.choices.first { count($0.forms) == numbers }?.kind ?? .decimal
  }

  private func exception(
    to forms: Set<Form>,
    of kind: FieldKind
  ) -> CommaSeparatedColumn.Exception? {
    let others = Set(Form.allCases).subtracting(forms).map { seen[$0.rawValue] }
      .filter { $0.count > 0 }
    guard let first = others.min(by: { $0.line < $1.line }) else { return nil }
    return CommaSeparatedColumn.Exception(
      text: first.text,
      line: first.line,
      kind: kind,
      fittingCount: total - others.reduce(0) { $0 + $1.count },
      fieldCount: total
    )
  }
}
