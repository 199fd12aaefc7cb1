import AudioFigures

/// What an encoder of packets may choose. `nil` leaves the choice to the codec.
public struct CodecSettings: Sendable, Hashable {
    /// What the packets are encoded with.
    public var codec: Codec
    /// Of the stream, in hertz. By default that of what comes in; 48000 where Opus or MP3 does not have that.
    public var sampleRate: Int?
    /// Length of a packet in milliseconds. Opus has 2.5, 5, 10, 20, 40 and 60, by default 20; FLAC takes blocks of 16 to
    /// 4608 frames (16384 above 48 kHz), by default 4096; PCM takes up to 1000 ms, by default 10. MP3 has no choice.
    public var frameMilliseconds: Double?
    /// Of Opus, in bits per second for all channels: 500 to 512000 for each. By default libopus chooses. Of MP3: what the
    /// form has at the rate, up to 320000, for all channels; by default LAME chooses (128000 at 44.1 and 48 kHz).
    public var bitRate: Int?
    /// Of Opus: each packet says the sound of the one before again, more coarsely, so that a receiver can make up for a
    /// lost one. Needs packets of 10 ms or more; the encoder then works as for speech.
    public var hasForwardErrorCorrection = false
    /// Of FLAC: 16 or 24 bits; by default 24.
    public var bits: Int?

    /// Settings of a codec that leave all else to it.
    public init(_ codec: Codec) { self.codec = codec }

    /// Makes the encoder for what comes in at `inputRate` hertz.
    ///
    /// - Throws: `unsupported`, naming what there is; `codec`.
    func makeEncoder(inputRate: Int, channels: Int) throws(StreamError) -> any PacketEncoder {
        try require(bitRate == nil, .bitRate, "a bit rate")
        try require(!hasForwardErrorCorrection, .forwardErrorCorrection, "forward error correction")
        try require(bits == nil, .bits, "a choice of bits")
        if let milliseconds = frameMilliseconds, !(milliseconds > 0 && milliseconds <= Double(Self.longestMilliseconds))
        {
            throw refused(
                "packets of \(milliseconds) ms are out of range; choose up to \(Self.longestMilliseconds) ms")
        }
        let rate = streamRate(inputRate: inputRate)
        guard (1000...768_000).contains(rate) else {
            throw refused("\(rate) hertz is out of range; choose 1000 to 768000")
        }
        if let rates = codec.sampleRates, !rates.contains(rate) {
            throw refused("it has no \(rate) hertz; choose \(rates.map { "\($0)" }.listed("or"))")
        }
        guard codec.channels.contains(channels) else {
            throw refused("it takes \(codec.channels.words) channels, and not \(channels)")
        }
        return try codec.encoder.init(self, inputRate: inputRate, sampleRate: rate, channels: channels)
    }

    /// The rate of the stream, in hertz: as asked for, or that of what comes in where the codec has it.
    func streamRate(inputRate: Int) -> Int {
        sampleRate ?? (codec.sampleRates.map { $0.contains(inputRate) ? inputRate : $0[0] } ?? inputRate)
    }

    private func require(_ isUnset: Bool, _ choice: Codec.Choices, _ words: String) throws(StreamError) {
        guard isUnset || codec.choices.contains(choice) else {
            let others = Codec.all.filter { $0.choices.contains(choice) }.map(\.title)
            throw refused("only \(others.listed("and")) \(others.count == 1 ? "has" : "have") \(words)")
        }
    }

    func refused(_ reason: String) -> StreamError { StreamError(.unsupported, "encode \(codec.name)", reason) }

    /// Of any packet.
    static let longestMilliseconds = 1000

    /// The length of a packet in milliseconds: as asked for, or what is usual of the codec.
    var packetMilliseconds: Double { frameMilliseconds ?? codec.packetLengths?.usual ?? Codec.PacketLengths.any.usual }

    /// The length of a packet in frames.
    func frames(atRate sampleRate: Int) -> Int {
        max(1, Int((packetMilliseconds * Double(sampleRate) / 1000).rounded()))
    }
}
