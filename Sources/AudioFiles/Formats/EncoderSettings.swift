import CSndFile

/// What an encoder may choose. `nil` leaves the choice to the encoder.
public struct EncoderSettings: Sendable, Hashable {
    /// How the bits of MP3 are spread over time.
    public enum BitRateMode: String, Sendable, CaseIterable {
        /// The same for each frame.
        case constant, average, variable
    }

    /// Of Vorbis, Opus and MP3: 0 for the smallest file to 1 for the best sound. What is beyond counts as that.
    public var quality: Double?
    /// Of FLAC: 0 for the fastest to 1 for the smallest file. Vorbis, Opus and MP3 have `quality` instead.
    public var compressionLevel: Double?
    /// Of MP3, and constant by default: a file of variable bit rate has its length in its first frame, which a
    /// recorder that was killed never wrote.
    public var bitRateMode: BitRateMode?

    /// `nil` is the encoder's own default.
    public init(quality: Double? = nil, compressionLevel: Double? = nil, bitRateMode: BitRateMode? = nil) {
        self.quality = quality
        self.compressionLevel = compressionLevel
        self.bitRateMode = bitRateMode
    }

    /// Without what such a file does not have.
    package func applicable(to format: SoundFileFormat) -> EncoderSettings {
        var settings = self
        if !format.encoding.hasQuality { settings.quality = nil }
        if format.container != .flac { settings.compressionLevel = nil }
        if format.encoding != .mp3 { settings.bitRateMode = nil }
        return settings
    }

    /// Applies them to a file that was just opened for writing; returns what it does not take.
    @unsafe func apply(to file: OpaquePointer, _ format: SoundFileFormat) -> String? {
        func set<Value: BitwiseCopyable>(_ command: Int, _ value: Value) -> Bool {
            var value = value
            let size = CInt(MemoryLayout<Value>.size)
            // SAFETY: the library copies a value of that size during the call.
            return unsafe withUnsafeMutablePointer(to: &value) { unsafe sf_command(file, CInt(command), $0, size) }
                == SF_TRUE
        }
        if format.encoding == .mp3 || bitRateMode != nil {
            let mode =
                switch bitRateMode ?? .constant {
                case .constant: SF_BITRATE_MODE_CONSTANT
                case .average: SF_BITRATE_MODE_AVERAGE
                case .variable: SF_BITRATE_MODE_VARIABLE
                }
            // It returns the mode, and 0 is one: asking again shows whether it was taken.
            _ = set(SFC_SET_BITRATE_MODE, CInt(mode))
            guard format.encoding == .mp3, unsafe sf_command(file, CInt(SFC_GET_BITRATE_MODE), nil, 0) == CInt(mode)
            else { return "bit-rate mode" }
        }
        if let quality {
            guard format.encoding.hasQuality, quality.isFinite,
                set(SFC_SET_VBR_ENCODING_QUALITY, min(max(0, quality), 1))
            else { return "quality" }
        }
        if let compressionLevel {
            guard format.container == .flac, compressionLevel.isFinite,
                set(SFC_SET_COMPRESSION_LEVEL, min(max(0, compressionLevel), 1))
            else { return "compression level" }
        }
        return nil
    }
}
