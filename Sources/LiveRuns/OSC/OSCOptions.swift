import AudioReports
import AudioStreaming
import CommandSyntax

/// The option `--osc`: where messages of OSC are waited for.
package struct OSCOptions: PartOptions {
    package static let group = optionGroup("Control", place.option)

    private static let place = TypedOption<PageAddress?>(
        Option(
            "osc", "[ADDRESS:]PORT",
            "accept OSC messages over UDP at this port (0 for one that is free) of \(PageAddress.loopback), or of another "
                + "address of this machine, as 0.0.0.0 for all; iounit help osc")
    ) { word, _ throws(Failure) in
        guard let word else { return nil }
        let hasPort = (word.contains("]:") || word.count { $0 == ":" } <= 1) && word.last?.isNumber == true
        let isPort = word.allSatisfy(\.isNumber)
        guard hasPort, isPort || word.contains(":"), let address = try? PageAddress(word) else {
            throw Failure(
                .usage, "--osc takes a port, or ADDRESS:PORT as 0.0.0.0:9000 or [::1]:9000, not \"\(shown(word))\"",
                of: "osc")
        }
        return address
    }

    private let address: PageAddress

    package init?(_ arguments: Arguments) throws(Failure) {
        guard let address = try arguments.value(of: Self.place) else { return nil }
        self.address = address
    }

    /// - Throws: as `OSCServer`.
    package func open(inputs: Int, outputs: Int) throws -> OSCServer {
        try OSCServer(address, inputs: inputs, outputs: outputs)
    }
}
