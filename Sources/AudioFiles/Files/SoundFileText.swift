import CSndFile

/// What libsndfile last said about a file, or, for `nil`, about the last one that it did not open, on one line.
func soundFileError(_ file: OpaquePointer?) -> String {
    // SAFETY: libsndfile's messages are terminated, and stay until its next call.
    let text = unsafe sf_strerror(file).map { unsafe String(cString: $0) } ?? "it does not say why"
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
}

/// What libsndfile noted down while it read the header of an open file.
func soundFileLog(_ file: OpaquePointer) -> String {
    unsafe String(unsafeUninitializedCapacity: 16384) { text in
        // SAFETY: libsndfile writes at most as many bytes as it is told, and returns how many.
        let length = unsafe sf_command(file, CInt(SFC_GET_LOG_INFO), text.baseAddress, CInt(text.count))
        return min(max(0, Int(length)), text.count)
    }
}
