import FoundationEssentials
import Threads

/// What a source asks an Icecast server for besides its connection: once more whether it may send, to learn why it was refused,
/// and that a title be shown.
struct IcecastRequest {
    private let context: LinkContext

    init(_ context: LinkContext) { self.context = context }

    private static let answerMilliseconds = 3000

    /// - Returns: what the server said that may be otherwise soon; `nil` where it would take the stream.
    /// - Throws: `network` where it is not there; `denied`, `protocolError`.
    func refusal() throws(StreamError) -> String? {
        let target = context.target
        let type = context.opening.codec.icecast?.mediaType ?? ""
        let (answered, text) = try ask(
            "SOURCE \(target.path)", "Content-Type: \(type)", withinMilliseconds: Self.answerMilliseconds)
        guard let status = answered else {
            throw context.fail(.protocolError, "it does not answer as an Icecast server; check host and port")
        }
        switch status {
        case 200..<300: return nil
        case 401:
            throw context.fail(
                .denied,
                target.access.secret == nil
                    ? "it asks for a password; give it with --password" : "it does not accept the user or the password")
        case 403 where text.lowercased().contains("in use"):
            return "another source sends to \(target.path) at present"
        case 403 where text.lowercased().contains("too many"): return "it has as many sources as it takes"
        case 500...: return "it answers \(status), which means trouble of its own"
        default: throw context.fail(.protocolError, "it answers \(status) and takes no such stream; check the mount")
        }
    }

    /// Asks for the title of the mount to be shown.
    ///
    /// - Parameter milliseconds: how long to wait for the connection, and as long for the answer.
    /// - Returns: whether the server said in time that it does so. Without a connection for it the stream goes on as well.
    func sets(title: String, withinMilliseconds milliseconds: Int) -> Bool {
        let mount = PercentEncoding.decoded(context.target.path) ?? context.target.path
        let query =
            "mode=updinfo&charset=UTF-8&mount=\(PercentEncoding.encoded(mount))&song=\(PercentEncoding.encoded(title))"
        var hurried = context
        let deadline = MonotonicClock.nanoseconds() + UInt64(milliseconds) * 1_000_000
        hurried.waits = { [waits = context.waits] in waits() && MonotonicClock.nanoseconds() < deadline }
        let answer = try? IcecastRequest(hurried).ask("GET /admin/metadata?\(query)", withinMilliseconds: milliseconds)
        return answer?.status == 200
    }

    private func ask(
        _ line: String, _ header: String? = nil, withinMilliseconds milliseconds: Int
    ) throws(StreamError) -> (status: Int?, text: String) {
        let target = context.target
        let socket = try context.openSocket(.tcp)
        let login = Data("\(target.user):\(target.access.secret?.text ?? "")".utf8).base64EncodedString()
        // A proxy finds the server by the host, as it does for libshout's connection.
        let host = Authority.joined(target.host, target.port)
        let lines = [
            "\(line) HTTP/1.0", "Host: \(host)", "Authorization: Basic \(login)", "User-Agent: iounit", header, "", "",
        ]
        let request = lines.compactMap(\.self).joined(separator: "\r\n")
        let answer = socket.answer(to: Array(request.utf8), withinMilliseconds: milliseconds)
        let text = String(decoding: answer, as: UTF8.self)
        let words = text.prefix { !$0.isNewline }.split(separator: " ")
        guard words.first?.hasPrefix("HTTP/") == true, words.count >= 2 else { return (nil, text) }
        return (Int(words[1]), text)
    }
}
