import CWebSockets
import Threads

/// The certificates that servers are checked with.
///
/// `@unchecked Sendable`: neither the pointer nor the context behind it changes once it is made, and any thread may use an OpenSSL
/// context that nobody changes (openssl-threads(7)).
@safe final class WebTrust: @unchecked Sendable {
    let raw: OpaquePointer

    /// What libwebsockets does once for the whole process.
    private static let isPrepared: Void = cws_prepare()

    /// Call it before anything else of libwebsockets is used.
    ///
    /// - Throws: `missing`.
    static func prepare(for operation: String) throws(StreamError) {
        do { try OptionalLibrary.libwebsockets.load() } catch { throw StreamError(error, operation) }
        _ = isPrepared
    }

    /// - Parameter file: of certificates in PEM; `nil` for those of the system.
    /// - Throws: `unreadable`, `badData`, `resources`, `missing`.
    init(file: String?, operation: String) throws(StreamError) {
        try Self.prepare(for: operation)
        if let file { try StreamError.check(readable: file, operation) }
        guard let raw = unsafe cws_make_trust(file) else {
            if let shortage = DescriptorLimit.shortage(of: 1) { throw StreamError(.resources, operation, shortage) }
            guard let file else {
                throw StreamError(.unreadable, operation, "the system's certificates cannot be read")
            }
            throw StreamError(
                .badData, operation, "\(file) is no file with certificates in PEM; name one by --tls-ca")
        }
        unsafe self.raw = raw
    }

    deinit { unsafe SSL_CTX_free(raw) }
}
