#if CommandLine
import ArgumentParser

/// An invalid command line. The alias avoids a clash with the error of validations, which has the
/// same name.
typealias UsageError = ArgumentParser.ValidationError
#endif
