// The stores of all files in one import: values, identifiers and queries; entities, models and live
// objects.
@_exported public import VarveCore
@_exported public import VarveEntities
@_exported public import VarveModels
@_exported public import VarveObjects
