import AudioFiles

/// How a codec goes to a program that listens at a TCP port, into a pipe or into a file.
struct FileForm: Sendable {
    let format: @Sendable (_ bits: Int?) -> SoundFileFormat?
    /// How the samples come that the file's own encoder takes; `nil` for a codec that has none.
    var packets: (@Sendable (_ bits: Int?) -> Codec)?
    /// Of a file that gets it without being asked.
    var extensions: [String] = []
    /// Settings of the file's encoder, from a bit rate; `nil` where it has no choice of one.
    var encoder: (@Sendable (CodecSettings, StreamFormat) throws(StreamError) -> EncoderSettings)?
}

/// How a codec goes to an Icecast server. One with a mapping to Ogg goes in pages of that.
struct IcecastForm: Sendable {
    let mediaType: String
    /// Of libshout: `SHOUT_FORMAT_`…
    let shoutFormat: CInt
    /// Of a mount that gets it without being asked.
    let extensions: [String]
}

/// How a codec goes by RTP.
struct RTPForm: Sendable {
    /// In `rtpmap`.
    let name: String
    /// Of the time stamps, in hertz; `nil` where it is the stream's rate.
    var clockRate: Int?
    /// In `rtpmap`; `nil` for as many as the stream has.
    var describedChannels: Int?
    /// The codec's parameters in `fmtp`.
    var parameters: (@Sendable (StreamOpening, _ hasForwardErrorCorrection: Bool) -> String)?
    /// Of a sample, most significant byte first on the way, and last in packets of ours: such packets are cut between any two
    /// frames. `nil` for packets that go as they are.
    var sampleBytes: Int?
    /// The most that are sent.
    let mostChannels: Int
    /// What is received, in hertz.
    let rates: ClosedRange<Int>
    /// What is received.
    let channels: ClosedRange<Int>
    /// Numbers of payloads that need no description, all of 44.1 kHz (RFC 3551, section 6).
    var known: [(type: UInt8, channels: Int)] = []
    /// Of a packet that goes as it is, at the clock rate; `nil` where it is none.
    var frames: @Sendable ([UInt8]) -> Int? = { _ in nil }

    /// Integers (RFC 3551, 3190).
    static func samples(_ name: String, bytes: Int, known: [(type: UInt8, channels: Int)] = []) -> RTPForm {
        RTPForm(
            name: name, sampleBytes: bytes, mostChannels: StreamTarget.datagramLimit / bytes, rates: 8000...192_000,
            channels: 1...64, known: known)
    }

    /// Samples of so many bytes with these in the other order: as they are on the way, or in packets of ours.
    static func swapped(_ payload: [UInt8], _ sampleBytes: Int) -> [UInt8] {
        var swapped = payload
        for start in stride(from: 0, through: payload.count - sampleBytes, by: sampleBytes) {
            swapped.swapAt(start, start + sampleBytes - 1)
        }
        return swapped
    }
}

/// How a codec goes to a player that asks the page's server for `/stream.` and the extension.
struct PageForm: Sendable {
    let fileExtension: String
    let mediaType: String
    /// In hertz, where browsers decode at that one, whatever the stream says.
    var sampleRate: Int?
    let makeMuxer: @Sendable (StreamOpening, _ header: [UInt8]) -> any StreamMuxer

    var path: String { "/stream.\(fileExtension)" }
}
