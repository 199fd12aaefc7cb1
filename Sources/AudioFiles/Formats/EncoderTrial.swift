import CSndFile

/// Tries an encoder out, on a frame that goes into memory: some say only then what they do not take.
///
/// Touches no file.
struct EncoderTrial {
    let format: SoundFileFormat
    var encoder = EncoderSettings()
    var metadata = SoundFileMetadata()

    enum Outcome: Equatable {
        /// With the names of the metadata that the container does not have.
        case works(omitting: [String])
        /// libsndfile's words.
        case fails(String)
        /// A setting that the encoding does not have.
        case lacks(String)
    }

    func run(sampleRate: Int, channels: Int) -> Outcome {
        guard (1...Int(CInt.max)).contains(sampleRate), (1...1024).contains(channels) else {
            return .fails("there are 1 to 1024 channels at 1 hertz or more")
        }
        let memory = MemoryFile()
        defer { withExtendedLifetime(memory) {} }
        var facts = SF_INFO(sampleRate: sampleRate, channels: channels, code: format.code)
        guard let file = unsafe memory.openVirtual(SFM_WRITE, &facts) else { return .fails(soundFileError(nil)) }
        if let lacking = unsafe format.configure(file, encoder) {
            unsafe sf_close(file)
            return .lacks(lacking)
        }
        unsafe metadata.write(to: file)
        let silence = [Float](repeating: 0, count: channels)
        // SAFETY: the array holds the one frame.
        let written = unsafe silence.withUnsafeBufferPointer { unsafe sf_writef_float(file, $0.baseAddress, 1) }
        let reason = written == 1 ? nil : unsafe soundFileError(file)
        unsafe sf_close(file)
        if let reason { return .fails(reason) }
        return .works(omitting: metadata.isEmpty ? [] : omissions(memory))
    }

    /// Found by reading it again: not every container says that it leaves something out.
    private func omissions(_ memory: MemoryFile) -> [String] {
        memory.position = 0
        var facts = SF_INFO()
        guard format.container != .raw, let file = unsafe memory.openVirtual(SFM_READ, &facts) else {
            return metadata.omissions(in: SoundFileMetadata())
        }
        defer { unsafe sf_close(file) }
        return metadata.omissions(in: unsafe SoundFileMetadata(of: file))
    }
}

/// A file in memory: for trying an encoder out before a file is touched.
@safe private final class MemoryFile: VirtualFile {
    /// More than the header of any file that has one frame; bytes written behind it are forgotten.
    private static let mostBytes = 1 << 20

    private var bytes: [UInt8] = []

    override var end: Int { bytes.count }

    override func canSeek(to place: Int) -> Bool { place <= Self.mostBytes }

    @unsafe override func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        let found = bytes.dropFirst(position).prefix(room.count)
        unsafe room.copyBytes(from: found)
        return found.count
    }

    @unsafe override func write(_ given: UnsafeRawBufferPointer) -> Int {
        let kept = unsafe Array(given.prefix(max(0, Self.mostBytes - position)))
        guard !kept.isEmpty else { return given.count }
        if bytes.count < position + kept.count {
            bytes += [UInt8](repeating: 0, count: position + kept.count - bytes.count)
        }
        bytes.replaceSubrange(position..<(position + kept.count), with: kept)
        return given.count
    }
}

extension SoundFileFormat {
    /// Whether a file of this format takes such sound. Tries the encoder; touches no file.
    public func takes(sampleRate: Int, channels: Int) -> Bool {
        EncoderTrial(format: self).run(sampleRate: sampleRate, channels: channels) == .works(omitting: [])
    }

    /// The sample rate and number of channels nearest to these that a file of this format takes: these, another rate, or
    /// fewer channels. Found by trying the encoder; touches no file.
    public func nearest(sampleRate: Int, channels: Int) -> (sampleRate: Int, channels: Int)? {
        let rates = [sampleRate] + Self.rates(near: sampleRate)
        if let rate = rates.first(where: { takes(sampleRate: $0, channels: channels) }) { return (rate, channels) }
        guard let rate = rates.first(where: { takes(sampleRate: $0, channels: 1) }) else { return nil }
        // What takes some number of channels takes fewer.
        var (least, most) = (1, max(1, min(channels, 1024)))
        while least < most {
            let middle = (least + most + 1) / 2
            if takes(sampleRate: rate, channels: middle) { least = middle } else { most = middle - 1 }
        }
        return (rate, least)
    }

    /// Rates in use, the nearest by ratio first, and of two the higher.
    private static func rates(near sampleRate: Int) -> [Int] {
        let inUse = [
            8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 176_400, 192_000,
        ]
        func distance(_ rate: Int) -> Double {
            let (low, high) = (Double(max(1, min(rate, sampleRate))), Double(max(rate, sampleRate)))
            return high / low
        }
        return inUse.reversed().sorted { distance($0) < distance($1) }
    }

    /// Sets a file up that was just opened for writing; returns what setting it does not take.
    @unsafe func configure(_ file: OpaquePointer, _ encoder: EncoderSettings) -> String? {
        func set(_ command: Int, _ isOn: Bool) { _ = unsafe sf_command(file, CInt(command), nil, isOn ? 1 : 0) }
        if code & SF_FORMAT_TYPEMASK == SF_FORMAT_RF64 { set(SFC_RF64_AUTO_DOWNGRADE, container == .wav) }
        if updatesHeader { set(SFC_SET_UPDATE_HEADER_AUTO, true) }
        // Samples beyond ±1 would wrap around.
        if encoding != .float && encoding != .double { set(SFC_SET_CLIPPING, true) }
        // libsndfile 1.2 obeys for all but RF64: see `MarkedFile.clearPeakTime`.
        set(SFC_SET_ADD_PEAK_CHUNK, false)
        if encoding == .opus {
            // How much a killed recording loses.
            var milliseconds = 200.0
            _ = unsafe sf_command(
                file, CInt(SFC_SET_OGG_PAGE_LATENCY_MS), &milliseconds, CInt(MemoryLayout<Double>.size))
        }
        return unsafe encoder.apply(to: file, self)
    }
}
