import Foundation

extension VarveError {
  /// Returns the error for a call of the operating system that failed.
  ///
  /// - Parameters:
  ///   - number: the system's error number.
  ///   - what: what could not be done.
  ///   - place: the file or folder.
  ///   - remedy: the remedy if neither the space nor a read-only file system is the reason.
  package static func system(
    _ number: Int32,
    _ what: String,
    at place: String,
    remedy: String = "Check the folder and its permissions."
  ) -> VarveError {
    let message = "\(what): \(String(cString: strerror(number)))"
    return switch number {
    case ENOSPC, EDQUOT, EFBIG:
      VarveError(.diskFull, message, at: place, remedy: "Free some space, or raise the limit.")
    case EROFS:
      VarveError(
        .readOnly,
        message,
        at: place,
        remedy: "Name a file on a file system that is writable."
      )
    default: VarveError(.inputOutput, message, at: place, remedy: remedy)
    }
  }

  /// Returns the error for a temporary file that could not be written.
  ///
  /// - Parameter folder: the folder of temporary files.
  package static func temporaryFile(
    _ number: Int32,
    _ what: String,
    in folder: String
  ) -> VarveError {
    let error = system(number, what, at: folder)
    return VarveError(error.code, error.message, at: folder, remedy: temporaryFileRemedy)
  }

  /// The remedy for temporary files that cannot be written.
  package static let temporaryFileRemedy =
    "Free some space for temporary files, or set TMPDIR to another folder."

  /// Returns the system's error number in an error of Foundation; `EIO` if it has none.
  package static func systemNumber(of error: any Error) -> Int32 {
    if let error = error as? POSIXError { return error.code.rawValue }
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    if let number = (underlying as? POSIXError)?.code.rawValue { return number }
    if let underlying = underlying as NSError?, underlying.domain == NSPOSIXErrorDomain {
      return Int32(underlying.code)
    }
    return switch (error as? CocoaError)?.code {
    case .fileWriteOutOfSpace: ENOSPC
    case .fileWriteVolumeReadOnly: EROFS
    case .fileReadNoPermission, .fileWriteNoPermission: EACCES
    default: EIO
    }
  }
}
