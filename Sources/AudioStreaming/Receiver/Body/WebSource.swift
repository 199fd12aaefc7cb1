/// The body of a web server's answer, which may have no end.
final class WebSource: ByteSource {
    private let client: WebClient
    private let handler = Handler()
    private var metadata: IcyFilter?

    let isFinite: Bool
    /// What may wait here.
    private static let limit = 1 << 18

    /// Asks for it.
    ///
    /// - Throws: see `WebClient.open`.
    init(_ client: WebClient) throws(StreamError) {
        self.client = client
        try client.open(handler)
        isFinite = handler.facts.length != nil
        metadata = handler.facts.metadataInterval.map(IcyFilter.init)
    }

    func read(untilNanoseconds deadline: UInt64) throws(StreamError) -> [UInt8]? {
        if handler.received.isEmpty, !handler.isOver { client.serve(untilNanoseconds: deadline) }
        let bytes = handler.take()
        if handler.isPaused {
            handler.isPaused = false
            client.setReceiving(true)
        }
        if bytes.isEmpty, handler.isOver || !client.isOpen {
            guard handler.isWhole else {
                throw client.fail(.network, "the connection broke; is the server still there?")
            }
            return nil
        }
        return metadata?.sound(of: bytes) ?? bytes
    }

    func rest(untilNanoseconds deadline: UInt64) {
        client.setReceiving(false)
        handler.isPaused = true
        client.serve(untilNanoseconds: deadline)
    }

    private final class Handler: WebHandler {
        var protocolName: String? { nil }
        private(set) var facts = WebFacts()
        private(set) var received: [UInt8] = []
        /// Nothing more comes.
        private(set) var isOver = false
        /// All of it came, as far as anybody can tell.
        private(set) var isWhole = false
        /// Whether the server is let wait.
        var isPaused = false
        private var count = 0

        func take() -> [UInt8] {
            defer { received = [] }
            return received
        }

        func handle(_ event: WebEvent, on connection: WebConnection) -> Bool {
            switch event {
            case .opened: facts = connection.facts
            case .body(let bytes):
                received += bytes
                count += bytes.count
                if received.count >= WebSource.limit {
                    isPaused = true
                    connection.setReceiving(false)
                }
            case .bodyEnded, .closed:
                isOver = true
                isWhole = isWhole || mayEndHere
            case .bodyRead:
                // The library ends the body after the last piece and where the connection breaks. Only after the last
                // piece does the connection live on.
                if isOver, facts.length == nil { isWhole = true }
            default: break
            }
            return true
        }

        /// Whether the end of the connection can be the end of the body: it is, without a length and without pieces.
        private var mayEndHere: Bool { facts.length.map { count >= $0 } ?? !facts.isChunked }
    }
}

/// What a web server says of a body before it.
struct WebFacts: Sendable, Equatable {
    /// In bytes; `nil` where it says none.
    var length: Int?
    /// Whether it comes in pieces with their lengths.
    var isChunked = false
    /// Bytes of sound between two titles; `nil` where there are none.
    var metadataInterval: Int?
}
