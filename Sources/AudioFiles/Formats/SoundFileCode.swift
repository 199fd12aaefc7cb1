import CSndFile

// libsndfile's numbers for containers and encodings.
extension SoundFileFormat {
    /// What a file is written as.
    var code: Int {
        // A plain WAV file up to 4 GiB, and from there on RF64; the room for its larger header is kept from the start.
        if container == .wav, let wide = Container.rf64.code(of: encoding) { return wide }
        return container.code(of: encoding) ?? 0
    }

    /// What a file that was read is written as; `nil` for what this type has no words for.
    init?(code: Int) {
        let type = code & SF_FORMAT_TYPEMASK
        guard let container = type == SF_FORMAT_WAVEX ? .wav : Container.allCases.first(where: { $0.code == type }),
            let encoding = Encoding(code: code)
        else { return nil }
        self.init(known: container, encoding)
    }

    /// Whether each frame has as many bytes. If not, the encoder holds back what is no whole block or page yet.
    package var isOfFixedSize: Bool {
        switch container {
        case .flac, .ogg, .mp3: false
        default: ![.imaADPCM, .gsm610].contains(encoding)
        }
    }

    /// Whether the header is brought up to date at each write, so that a killed recording is whole up to there. FLAC
    /// and MP3 need none; an Ogg file would be spoiled by it.
    var updatesHeader: Bool {
        switch container {
        case .wav, .rf64, .w64, .caf, .aiff, .au: true
        case .flac, .ogg, .mp3, .raw: false
        }
    }

    /// How large the file may become before its header can no longer hold the size.
    var maximumBytes: Int {
        switch container {
        // Less what a header and the last block take.
        case .wav: Container.rf64.code(of: encoding) == nil ? 0xffff_ffff - 16_777_216 : Int.max
        case .aiff: 0xffff_ffff - 16_777_216
        case .au: 0x7fff_ffff - 16_777_216
        case .rf64, .w64, .caf, .flac, .ogg, .mp3, .raw: Int.max
        }
    }

    /// libsndfile's words for a format.
    ///
    /// - Parameter bits: of linear samples, where they are not those of the code.
    static func words(for code: Int, bits: Int? = nil) -> String {
        func name(_ code: Int) -> String {
            var info = unsafe SF_FORMAT_INFO()
            unsafe info.format = CInt(code)
            let size = unsafe CInt(MemoryLayout<SF_FORMAT_INFO>.size)
            // SAFETY: names are constants of the library.
            guard unsafe sf_command(nil, CInt(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = unsafe info.name
            else { return "unknown" }
            return unsafe String(cString: name)
        }
        let samples = bits.map { "Signed \($0) bit PCM" } ?? name(code & SF_FORMAT_SUBMASK)
        return "\(name(code & SF_FORMAT_TYPEMASK)), \(samples)"
    }
}

extension SF_INFO {
    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - code: libsndfile's number for container and encoding.
    init(sampleRate: Int, channels: Int, code: Int) {
        self.init()
        (samplerate, self.channels, format) = (CInt(clamping: sampleRate), CInt(clamping: channels), CInt(code))
    }
}

extension SoundFileFormat.Container {
    fileprivate var code: Int {
        switch self {
        case .wav: SF_FORMAT_WAV
        case .rf64: SF_FORMAT_RF64
        case .w64: SF_FORMAT_W64
        case .caf: SF_FORMAT_CAF
        case .aiff: SF_FORMAT_AIFF
        case .au: SF_FORMAT_AU
        case .flac: SF_FORMAT_FLAC
        case .ogg: SF_FORMAT_OGG
        case .mp3: SF_FORMAT_MPEG
        case .raw: SF_FORMAT_RAW
        }
    }

    /// `nil` where the library does not write such samples into such a file.
    func code(of encoding: SoundFileFormat.Encoding) -> Int? {
        // MP3 within WAV has no length that a killed recorder leaves behind, and few programs read it.
        if self == .wav && encoding == .mp3 { return nil }
        let order = self == .raw ? SF_ENDIAN_LITTLE : SF_ENDIAN_FILE
        for sample in encoding.codes {
            // Rate and channels are what every encoding takes: that it exists is the question.
            var facts = SF_INFO(sampleRate: 8000, channels: 1, code: code | sample | order)
            if unsafe sf_format_check(&facts) != 0 { return code | sample | order }
        }
        return nil
    }
}

extension SoundFileFormat.Encoding {
    fileprivate init?(code: Int) {
        guard let encoding = Self.allCases.first(where: { $0.codes.contains(code & SF_FORMAT_SUBMASK) }) else {
            return nil
        }
        self = encoding
    }

    /// More than one where containers differ; the first that a container has is written.
    fileprivate var codes: [Int] {
        switch self {
        case .pcm8: [SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8]
        case .pcm16: [SF_FORMAT_PCM_16]
        case .pcm24: [SF_FORMAT_PCM_24]
        case .pcm32: [SF_FORMAT_PCM_32]
        case .float: [SF_FORMAT_FLOAT]
        case .double: [SF_FORMAT_DOUBLE]
        case .aLaw: [SF_FORMAT_ALAW]
        case .muLaw: [SF_FORMAT_ULAW]
        case .imaADPCM: [SF_FORMAT_IMA_ADPCM]
        case .gsm610: [SF_FORMAT_GSM610]
        case .vorbis: [SF_FORMAT_VORBIS]
        case .opus: [SF_FORMAT_OPUS]
        case .mp3: [SF_FORMAT_MPEG_LAYER_III]
        }
    }
}

extension SampleFormat {
    /// Of samples without a header.
    var headerlessCode: Int {
        // The first encoding that has it is the linear one; bytes without a sign are of none.
        let sample = SoundFileFormat.Encoding.allCases.first { $0.sampleFormat == self }?.codes.first
        return SF_FORMAT_RAW | (sample ?? SF_FORMAT_PCM_U8) | SF_ENDIAN_LITTLE
    }

    /// What loses nothing of an encoding of libsndfile's.
    init(exactFor code: Int) {
        switch code & SF_FORMAT_SUBMASK {
        // What is read and never written.
        case SF_FORMAT_ALAC_16, SF_FORMAT_MS_ADPCM: self = .int16
        case SF_FORMAT_ALAC_24: self = .int24
        case SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_32: self = .int32
        default: self = SoundFileFormat.Encoding(code: code)?.sampleFormat ?? .float32
        }
    }
}
