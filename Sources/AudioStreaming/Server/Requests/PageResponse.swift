/// An answer of HTTP, as its text: what all of them say is in one place.
struct PageResponse {
    var status: Int
    var mediaType = "text/plain; charset=utf-8"
    var body: [UInt8] = []
    /// Whether the body has no end.
    var isEndless = false
    /// Whether what was sent may be kept for some time.
    var isKept = false
    /// After how many seconds it is to be tried again.
    var retrySeconds: Int?

    /// Nothing from elsewhere, no script in the text, and no other site around it.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; "
        + "connect-src 'self'; worker-src 'self'; manifest-src 'none'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    private static let reasons = [
        200: "OK", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        413: "Content Too Large", 415: "Unsupported Media Type", 421: "Misdirected Request", 426: "Upgrade Required",
        501: "Not Implemented", 503: "Service Unavailable",
    ]

    /// Status line and headers, with the empty line behind them.
    var head: [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "Error")", "Content-Type: \(mediaType)"]
        lines.append(isEndless ? "Connection: close" : "Content-Length: \(body.count)")
        switch status {
        case 401: lines.append("WWW-Authenticate: Bearer")
        case 405: lines.append("Allow: GET, HEAD")
        case 426: lines += ["Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        default: break
        }
        if let retrySeconds { lines.append("Retry-After: \(retrySeconds)") }
        lines += [
            "Cache-Control: \(isKept ? "no-cache" : "no-store")",
            "Content-Security-Policy: \(Self.policy)",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Resource-Policy: same-origin",
            "Cross-Origin-Opener-Policy: same-origin",
            "Server: iounit",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// A refusal, as one sentence.
    static func refusal(_ status: Int, _ sentence: String, retrySeconds: Int? = nil) -> PageResponse {
        PageResponse(status: status, body: Array((sentence + "\n").utf8), retrySeconds: retrySeconds)
    }
}
