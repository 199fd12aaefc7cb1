import Foundation

/// A plug-in as lv2apply (Debian's lilv-utils) runs it: in blocks of one frame, at once from the first on.
public struct AppliedPlugin {
    private let uri: String
    private let bundle: String
    private let values: [(symbol: String, number: Float)]

    /// - Parameters:
    ///   - bundle: its folder. lv2apply sees no other: it would run what is in some of them.
    ///   - values: of all its parameters. Where a bundle says nothing, lv2apply takes 0, which may be out of range.
    public init(_ uri: String, bundle: String, values: [(symbol: String, number: Float)]) {
        (self.uri, self.bundle, self.values) = (uri, bundle, values)
    }

    /// What it makes of a signal for each of its inputs at 48 kHz: as many frames for each of its outputs.
    public func output(of channels: [[Float]]) throws -> [[Float]] {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("lv2"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder("lv2/bundle.lv2"), withDestinationPath: bundle)
        try FloatFile.write(channels, to: folder("in.wav"))
        let program = try Program(
            "/usr/bin/lv2apply",
            ["-i", folder("in.wav"), "-o", folder("out.wav")] + values.flatMap { ["-c", $0.symbol, "\($0.number)"] }
                + [uri], environment: ["LV2_PATH": folder("lv2")])
        guard program.wait(seconds: 60) == 0 else {
            throw DidNotHappen(description: "lv2apply renders \(uri); Tools/setup --tests installs it")
        }
        return try FloatFile.read(folder("out.wav"))
    }
}
