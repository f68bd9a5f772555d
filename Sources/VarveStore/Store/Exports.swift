// Whoever uses a store names values, identifiers and queries: one import gives them all.
@_exported public import VarveCore
