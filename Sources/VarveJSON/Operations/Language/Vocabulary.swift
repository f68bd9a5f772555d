/// The operations by name.
enum Vocabulary {
  private static let reading: [any ReadingOperation.Type] = [
    GetOperation.self, ReadOperation.self, FindOperation.self, CountOperation.self,
    AllOperation.self, ResolveOperation.self, RelatedOperation.self, StatusOperation.self,
    QueryOperation.self, AggregateOperation.self, SQLOperation.self,
    HistoryOperation.self, LogOperation.self, TimelineOperation.self, TypesOperation.self,
    IssuesOperation.self, PreviewErasureOperation.self,
  ]

  private static let writing: [any WritingOperation.Type] = [
    CreateOperation.self, SetOperation.self, UpdateOperation.self, AddOperation.self,
    RemoveOperation.self, RelateOperation.self, UnrelateOperation.self, EraseOperation.self,
    PurgeOperation.self,
    RestoreOperation.self, TransactionOperation.self, DefineOperation.self,
    AttemptOperation.self, OnceOperation.self, UpsertOperation.self, InsertOperation.self,
    UpdateAllOperation.self, EraseAllOperation.self,
    LinkOperation.self, MergeDuplicatesOperation.self, MakeRootOperation.self,
    ReconcileOperation.self, RemoveRepetitionsOperation.self,
  ]

  private static let whole: [any StoreOperation.Type] = [
    CheckOperation.self, RebuildOperation.self, IndexOperation.self, FrontierOperation.self,
    MergeOperation.self,
    ConflictsOperation.self, SettleOperation.self, ReplicasOperation.self,
    RetireOperation.self, DiffOperation.self, CommitOperation.self,
    UndoOperation.self, CompactOperation.self,
    StatsOperation.self,
    InterchangeImportOperation.self, InterchangeExportOperation.self,
    RegisterClassOperation.self,
    ChangesOperation.self,
  ]

  private static let mapping: [any MappingOperation.Type] = [
    RegisterMappingsOperation.self, ImportOperation.self, ExportOperation.self,
  ]

  /// The names of all operations.
  static var names: [String] {
    reading.map { $0.name } + writing.map { $0.name } + whole.map { $0.name }
      + mapping.map { $0.name }
  }

  /// Returns the operation of a name, and takes its fields.
  static func read(
    _ name: String,
    _ fields: inout Fields,
    at path: [JSONStep]
  ) throws -> Operation {
    if let type = reading.first(where: { $0.name == name }) {
      let operation = try type.init(&fields)
      // An operation that may create missing entities reads or writes, depending on its fields.
      if let both = operation as? any WritingOperation & CreatingOperation, both.mayCreate {
        return .writing(both)
      }
      return .reading(operation)
    }
    if let type = writing.first(where: { $0.name == name }) {
      return .writing(try type.init(&fields))
    }
    if let type = whole.first(where: { $0.name == name }) { return .whole(try type.init(&fields)) }
    if let type = mapping.first(where: { $0.name == name }) {
      return .mapping(try type.init(&fields))
    }
    throw Misfit("there is no operation \"\(name)\"", at: path)
  }
}

/// An operation that reads, or optionally creates missing entities.
protocol CreatingOperation {
  /// Whether it creates missing entities.
  var mayCreate: Bool { get }
}
