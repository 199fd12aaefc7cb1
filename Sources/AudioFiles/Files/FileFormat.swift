import CSndFile

/// How a recording is stored, as its name's extension tells.
package struct FileFormat: Equatable {
    let fileExtension: String
    /// libsndfile's number for the kind of file and of samples.
    let code: Int
    /// Whether the header is brought up to date at each write, so that a killed recording is whole up to there. FLAC
    /// and MP3 need none; an Ogg file would be spoiled by it.
    let updatesHeader: Bool
    /// Whether samples beyond ±1 must be clipped, lest they wrap around.
    let clips: Bool
    /// How large the file may become before its header can no longer tell the size.
    let maximumBytes: Int

    private init(
        _ fileExtension: String, _ code: Int, updatesHeader: Bool = false, clips: Bool = false,
        maximumBytes: Int = Int.max
    ) {
        self.fileExtension = fileExtension
        self.code = code
        self.updatesHeader = updatesHeader
        self.clips = clips
        self.maximumBytes = maximumBytes
    }

    private static let all = [
        // A plain WAV file up to 4 GiB, and from there on RF64; the room for its larger header is kept from the start.
        FileFormat("wav", SF_FORMAT_RF64 | SF_FORMAT_FLOAT, updatesHeader: true),
        FileFormat("rf64", SF_FORMAT_RF64 | SF_FORMAT_FLOAT, updatesHeader: true),
        FileFormat("w64", SF_FORMAT_W64 | SF_FORMAT_FLOAT, updatesHeader: true),
        FileFormat("caf", SF_FORMAT_CAF | SF_FORMAT_FLOAT, updatesHeader: true),
        FileFormat("aiff", SF_FORMAT_AIFF | SF_FORMAT_FLOAT, updatesHeader: true, maximumBytes: gigabytes4),
        FileFormat("aif", SF_FORMAT_AIFF | SF_FORMAT_FLOAT, updatesHeader: true, maximumBytes: gigabytes4),
        FileFormat("au", SF_FORMAT_AU | SF_FORMAT_FLOAT, updatesHeader: true, maximumBytes: gigabytes2),
        FileFormat("flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, clips: true),
        FileFormat("ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, clips: true),
        FileFormat("opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, clips: true),
        FileFormat("mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, clips: true),
    ]

    // Less what a header and the last block take.
    private static let gigabytes4 = 0xffff_ffff - 16_777_216
    private static let gigabytes2 = 0x7fff_ffff - 16_777_216

    package static let extensions = all.map(\.fileExtension)

    /// - Throws: `unsupportedFormat`, naming the extensions there are.
    init(path: String) throws(SoundFileError) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let fileExtension = parts.count > 1 ? parts.last.map { $0.lowercased() } ?? "" : ""
        guard let format = Self.all.first(where: { $0.fileExtension == fileExtension }) else {
            let known = Self.extensions.map { ".\($0)" }.joined(separator: " ")
            let problem = fileExtension.isEmpty ? "its name has no extension" : ".\(fileExtension) is not known"
            throw SoundFileError(.unsupportedFormat, "record to", path, "\(problem); use one of \(known)")
        }
        self = format
    }
}

// What libsndfile is told.
extension FileFormat {
    func facts(sampleRate: Int, channels: Int) -> SF_INFO {
        var facts = SF_INFO()
        facts.samplerate = CInt(clamping: sampleRate)
        facts.channels = CInt(clamping: channels)
        facts.format = CInt(code)
        return facts
    }

    /// Sets a file up that was just opened for writing.
    @unsafe func configure(_ file: OpaquePointer) {
        func set(_ command: Int, _ isOn: Bool) { _ = unsafe sf_command(file, CInt(command), nil, isOn ? 1 : 0) }
        if code & SF_FORMAT_TYPEMASK == SF_FORMAT_RF64 { set(SFC_RF64_AUTO_DOWNGRADE, fileExtension == "wav") }
        if updatesHeader { set(SFC_SET_UPDATE_HEADER_AUTO, true) }
        if clips { set(SFC_SET_CLIPPING, true) }
        // libsndfile 1.2 obeys for all but RF64, where the chunk with its time of day stays.
        set(SFC_SET_ADD_PEAK_CHUNK, false)
        if code & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG {
            // A file of variable bit rate tells its length in the first frame, which a killed recorder never wrote.
            var mode = CInt(SF_BITRATE_MODE_CONSTANT)
            _ = unsafe sf_command(file, CInt(SFC_SET_BITRATE_MODE), &mode, CInt(MemoryLayout<CInt>.size))
        }
        if code & SF_FORMAT_SUBMASK == SF_FORMAT_OPUS {
            // How much a killed recording loses.
            var milliseconds = 200.0
            _ = unsafe sf_command(
                file, CInt(SFC_SET_OGG_PAGE_LATENCY_MS), &milliseconds, CInt(MemoryLayout<Double>.size))
        }
    }
}
