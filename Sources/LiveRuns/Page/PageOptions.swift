import AudioStreaming
import CommandSyntax

/// Where and for whom a page is served, and what may be changed on it.
package struct PageOptions: PartOptions {
    private static let port = TypedOption<Int?>.number(
        "port", .integer, 0...65535, usual: "\(PageAddress.usualPort)", "the page's port, or 0 for one that is free",
        tellsRange: false)
    private static let listeners = TypedOption<Int?>.number(
        "listeners", .integer, 1...100_000, usual: "\(PageConfiguration.usualListeners)",
        "how many may listen at once; further listeners are asked to try again later", tellsRange: false)

    package static let group: OptionGroup = (
        "Page", [serve] + common
    )

    /// Of `iounit serve`, which has a page in any case.
    package static let serveGroup: OptionGroup = (
        group.heading,
        [port.option, listen] + common
    )

    private static let serve = Option(
        "serve", optional: "ADDRESS:PORT",
        "show the unit on a page in the browser, and let it be heard there (\(PageAddress())); see iounit serve")
    private static let listen = Option(
        "listen", "ADDRESS",
        "be reached at this address of the machine, as 0.0.0.0 for all of them; the token is then needed "
            + "(\(PageAddress.loopback), which other machines do not reach)")
    private static let control = Option(
        flag: "control", "let those who have the token change what OSC can, as gain, drive, shape, mute, recording")
    private static let certificate = Option(
        "tls-cert", "FILE", "serve by https and wss with this certificate (PEM, with its chain)")
    private static let key = Option("tls-key", "FILE", "the key of that certificate (PEM)")

    private static let token = SecretSource.option(
        "page-token", variable: "IOUNIT_PAGE_TOKEN", "token that listeners need",
        otherwise:
            "; else, where one is needed, it is made, and printed on a terminal or put into a file, whose path is "
            + "printed")

    private static let common: [Option] = [
        token.option, control, listeners.option,
        // Settings that forget one of them must not lead to a page without TLS.
        certificate.needs([key.name], isStrict: true), key.needs([certificate.name], isStrict: true),
    ].map { $0.needs(["serve"]) }

    package var configuration: PageConfiguration
    /// Where the token is; `nil` where one is made.
    var tokenSource: SecretSource?

    package init?(_ arguments: Arguments) throws(Failure) {
        // `iounit serve` has no such option.
        let isWanted = !arguments.knows(Self.serve)
        guard isWanted || arguments.has(Self.serve) else { return nil }
        var address = PageAddress()
        let place = isWanted ? Self.listen : Self.serve
        if let word = arguments.word(of: place), isWanted || !word.isEmpty {
            address = try ending(of: [place.name]) { () throws(StreamError) in try PageAddress(word) }
        }
        if isWanted {
            address = PageAddress(host: address.host, port: try arguments.value(of: Self.port) ?? address.port)
        }
        configuration = PageConfiguration(address)
        configuration.hasControls = arguments.has(Self.control)
        configuration.listeners = try arguments.value(of: Self.listeners)
        let (certificate, key) = (arguments.word(of: Self.certificate), arguments.word(of: Self.key))
        if let certificate, let key { configuration.certificate = (certificate, key) }
        tokenSource = try arguments.value(of: Self.token)
    }

    package func open(inputs: Int, outputs: Int) throws -> LivePage {
        try LivePage(self, inputs: inputs, outputs: outputs)
    }

    /// With the token, which is read now.
    func completeConfiguration() throws(Failure) -> PageConfiguration {
        var configuration = configuration
        guard let secret = try tokenSource?.read() else { return configuration }
        configuration.token = try ending(of: [Self.token.option.name]) { () throws(StreamError) in
            try AccessToken(secret)
        }
        return configuration
    }
}
