import AudioFigures

/// The form of a file in which a stream comes.
public struct StreamContainer: Sendable, Equatable {
    /// As in a report: `ogg`, `flac`, `wav` or `mp3`.
    public let name: String
    /// Whether it is decoded where it is taken apart: its packets are floats.
    var isDecoded = false
    /// What it begins with, in four bytes.
    var marks: [String] = []
    /// Finds the beginning in what begins anywhere; `nil` where it has not come.
    var findStart: @Sendable ([UInt8]) -> Int? = { _ in nil }
    let makeDemuxer: @Sendable (_ operation: String) throws(StreamError) -> any SoundDemuxer

    /// All that a receiver knows.
    static var all: [StreamContainer] {
        Codec.all.compactMap(\.container).reduce(into: [.ogg]) { all, next in
            if !all.contains(next) { all.append(next) }
        }
    }

    /// What a receiver understands, for a sentence.
    static var titles: String {
        let ogg = Codec.all.filter { $0.ogg != nil }.map { "Ogg \($0.title)" }
        return (ogg + all.filter { $0 != .ogg }.map { $0.name.uppercased() }).listed("and")
    }

    /// By the name.
    public static func == (one: StreamContainer, other: StreamContainer) -> Bool { one.name == other.name }
}
