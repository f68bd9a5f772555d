import ArgumentParser

/// A command line that is not understood. The parser's name for it is that of an error of records.
typealias UsageError = ArgumentParser.ValidationError
