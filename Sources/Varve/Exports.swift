@_exported public import VarveStore
