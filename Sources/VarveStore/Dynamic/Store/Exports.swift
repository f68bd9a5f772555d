// Callers of a store need values, identifiers and queries; one import provides them all.
@_exported public import VarveCore
