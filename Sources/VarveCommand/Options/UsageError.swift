import ArgumentParser

/// An invalid command line. Renames the parser's type, whose name is that of an error of records.
typealias UsageError = ArgumentParser.ValidationError
