import CSndFile
import Testing

/// A sound file as a whole: its rate, and each channel's samples.
package struct SoundFile {
    package var sampleRate: Int
    package var channels: [[Float]]
    package var frames: Int { channels.first?.count ?? 0 }

    package init(sampleRate: Int, channels: [[Float]]) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    package init(reading path: String, _ location: SourceLocation = #_sourceLocation) throws {
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
    package func write(_ path: String) throws {
        var info = SF_INFO()
        info.samplerate = Int32(sampleRate)
        info.channels = Int32(channels.count)
        info.format = Int32(SF_FORMAT_WAV | SF_FORMAT_FLOAT)
        let file = try #require(sf_open(path, Int32(SFM_WRITE), &info))
        defer { sf_close(file) }
        var interleaved = [Float](repeating: 0, count: frames * channels.count)
        for (channel, samples) in channels.enumerated() {
            for frame in 0..<frames { interleaved[frame * channels.count + channel] = samples[frame] }
        }
        _ = sf_writef_float(file, interleaved, sf_count_t(frames))
    }
}

extension SoundFile {
    /// The pitch of the first channel in Hz of the file's own rate: the median of its periods, so that neither a gap nor
    /// the silence of a source that joins again matters.
    package var pitch: Double {
        guard let samples = channels.first else { return 0 }
        let crossings = samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }.map { index in
            // Between two samples.
            Double(index) - Double(samples[index] / (samples[index] - samples[index - 1]))
        }
        let periods = zip(crossings, crossings.dropFirst()).map { $1 - $0 }.sorted()
        return periods.isEmpty ? 0 : Double(sampleRate) / periods[periods.count / 2]
    }
}
