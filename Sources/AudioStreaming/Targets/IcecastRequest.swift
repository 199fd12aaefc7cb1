import Foundation
import Threads

/// The question of a source whether it may send, asked once more to learn why an Icecast server has refused it.
struct IcecastRequest {
    private let context: LinkContext

    init(_ context: LinkContext) { self.context = context }

    private static let answerMilliseconds = 3000

    /// - Returns: what the server said that may be otherwise soon; `nil` where it would take the stream.
    /// - Throws: `network` where it is not there; `denied`, `protocolError`.
    func refusal() throws(StreamError) -> String? {
        let target = context.target
        let socket = try Socket.connect(
            .tcp, host: target.host, port: target.port, operation: context.operation, waits: context.waits)
        let login = Data("\(target.user):\(target.access.secret?.text ?? "")".utf8).base64EncodedString()
        let request = [
            "SOURCE \(target.path) HTTP/1.0", "Authorization: Basic \(login)", "User-Agent: iounit",
            "Content-Type: application/ogg", "", "",
        ].joined(separator: "\r\n")
        let answer = socket.answer(to: Array(request.utf8), withinMilliseconds: Self.answerMilliseconds)
        let text = String(decoding: answer, as: UTF8.self)
        let words = text.prefix { !$0.isNewline }.split(separator: " ")
        guard words.first?.hasPrefix("HTTP/") == true, words.count >= 2, let status = Int(words[1]) else {
            throw fail(.protocolError, "it does not answer as an Icecast server; check host and port")
        }
        switch status {
        case 200..<300: return nil
        case 401:
            throw fail(
                .denied,
                target.access.secret == nil
                    ? "it asks for a password; give it with --password" : "it does not accept the user or the password")
        case 403 where text.localizedCaseInsensitiveContains("in use"):
            return "another source sends to \(target.path) at present"
        case 403 where text.localizedCaseInsensitiveContains("too many"): return "it has as many sources as it takes"
        case 500...: return "it answers \(status), which means trouble of its own"
        default: throw fail(.protocolError, "it answers \(status) and takes no such stream; check the mount")
        }
    }

    private func fail(_ kind: StreamError.Kind, _ reason: String) -> StreamError {
        StreamError(kind, context.operation, reason)
    }
}
