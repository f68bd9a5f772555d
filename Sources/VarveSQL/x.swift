import VarveCore
