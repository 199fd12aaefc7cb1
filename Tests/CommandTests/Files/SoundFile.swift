import CSndFile
import Testing

/// A sound file as a whole: its rate, and each channel's samples.
struct SoundFile {
    var sampleRate: Int
    var channels: [[Float]]
    var frames: Int { channels.first?.count ?? 0 }

    init(sampleRate: Int, channels: [[Float]]) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    init(reading path: String, _ location: SourceLocation = #_sourceLocation) throws {
        var info = SF_INFO()
        let file = try #require(
            sf_open(path, Int32(SFM_READ), &info), "\(path) is no sound file", sourceLocation: location)
        defer { sf_close(file) }
        let count = Int(info.channels)
        var interleaved = [Float](repeating: 0, count: Int(info.frames) * count)
        let read = Int(sf_readf_float(file, &interleaved, info.frames))
        sampleRate = Int(info.samplerate)
        channels = (0..<count).map { channel in (0..<read).map { interleaved[$0 * count + channel] } }
    }

    /// Writes 32-bit float WAV.
    func write(_ path: String) throws {
        var info = SF_INFO()
        info.samplerate = Int32(sampleRate)
        info.channels = Int32(channels.count)
        info.format = Int32(SF_FORMAT_WAV | SF_FORMAT_FLOAT)
        let file = try #require(sf_open(path, Int32(SFM_WRITE), &info))
        defer { sf_close(file) }
        let interleaved = (0..<frames).flatMap { frame in channels.map { $0[frame] } }
        _ = sf_writef_float(file, interleaved, sf_count_t(frames))
    }
}
