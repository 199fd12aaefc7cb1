import AudioFiles

/// How the packets of a codec lie in pages of Ogg.
struct OggMapping: Sendable {
    /// What stands before the sound.
    ///
    /// - Parameters:
    ///   - header: what a decoder of packets needs.
    ///   - comments: see `comments`.
    /// - Returns: the first packet, which says what the codec is, and the others.
    let headers: @Sendable (_ header: [UInt8], _ comments: [UInt8]) -> [[UInt8]]
    /// By how much a packet moves the position of its page on.
    let frames: @Sendable (StreamOpening, StreamPacket) -> Int64
    /// A packet as long as all in which nothing is heard, of the kind of another one; `nil` where the codec has none.
    var silence: @Sendable (StreamOpening, _ payload: [UInt8]) -> [UInt8]? = { _, _ in nil }
    /// What a first packet begins; `nil` where it is of another codec.
    let makeTrack: @Sendable (_ head: [UInt8]) -> (any OggTrack)?

    /// Words about the sound, as `TITLE=…`, in the form that Vorbis gave to all codecs.
    static func comments(_ texts: [String] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ text: String) {
            bytes.append(littleEndian: UInt32(text.utf8.count))
            bytes += Array(text.utf8)
        }
        add("iounit")
        bytes.append(littleEndian: UInt32(texts.count))
        for text in texts { add(text) }
        return bytes
    }
}

/// A codec in a stream of Ogg that is received.
protocol OggTrack: AnyObject {
    func opening(_ operation: String) throws(StreamError) -> StreamOpening
    /// What a decoder needs first.
    var header: [UInt8] { get }
    /// Whether a decoder of the other one takes this one's packets.
    func goesOn(after other: any OggTrack) -> Bool
    /// Takes the packets that end in a page.
    ///
    /// - Parameter isBehindHole: whether pages before this one were damaged, or did not come.
    func take(
        _ packets: [[UInt8]], of page: OggReader.Page, isBehindHole: Bool, _ counter: inout PacketCounter
    ) throws(StreamError) -> [SoundPiece]
}

extension StreamContainer {
    /// Opus or FLAC in Ogg.
    public static let ogg = StreamContainer(name: "ogg", marks: ["OggS"], makeDemuxer: OggDemuxer.init)
}
