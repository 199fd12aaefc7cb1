/// Asks a web server for a stream, and goes where it is sent.
struct WebConnector {
    let address: WebAddress
    let operation: String
    let token: Secret?
    let trust: WebTrust?
    /// Asked ten times a second whether to go on waiting.
    let waits: () -> Bool

    private static let mostRedirections = 5

    func connect() throws(StreamError) -> WebSource {
        var place = address
        for _ in 0...Self.mostRedirections {
            // A token is for the server that it was given for.
            let isSame = place.isSameServer(as: address)
            var trust = place.scheme.isEncrypted ? trust : nil
            if place.scheme.isEncrypted, trust == nil { trust = try WebTrust(file: nil, operation: operation) }
            let client = try WebClient(
                place, operation: operation, token: isSame ? token : nil, trust: trust, waits: waits)
            do throws(StreamError) {
                return try WebSource(client)
            } catch {
                guard let word = client.redirection else { throw error }
                guard let next = place.redirected(to: word) else {
                    throw StreamError(
                        .protocolError, operation, "it is elsewhere now, at an address that is none; ask who runs it")
                }
                guard token == nil || !address.scheme.isEncrypted || next.scheme.isEncrypted else {
                    let shown = StreamTarget.harmless("\(next)")
                    throw StreamError(
                        .protocolError, operation,
                        "it leads to \(shown), where nothing is encrypted, and no token is sent; write that address if it is "
                            + "right")
                }
                place = next
            }
        }
        throw StreamError(
            .protocolError, operation,
            "it leads from one address to the next, more than \(Self.mostRedirections) times; ask who runs it")
    }
}
