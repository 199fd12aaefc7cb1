/// What a whole sound looks like, in as many columns as a picture has, whatever its length: nobody has to know it beforehand.
///
/// It begins with columns of a few frames. Where there are four times as many as wanted, each two become one. Memory does not grow
/// with the length, and each FFT is made once: at most one for each 256 frames, and of a long sound one for each 2048.
package struct SoundOverview {
    /// Of all channels, and not of their mean.
    package typealias Column = SoundTrail.Column

    private let wanted: Int
    private let edges: [Double]
    private let sampleRate: Int
    private let channels: Int
    private let fullScale: Float
    package private(set) var frames = 0

    private var waves: [Column] = []
    private var wave: Column?
    private var waveFilled = 0
    private var waveFrames = 64

    private let analyzer = SpectrumAnalyzer(frames: 4096)
    private var recent: [Float]
    private var recentCount = 0
    private var spectra: [[Float]] = []
    private var spectrum: [Float] = []
    /// FFTs that the present column has, and is to have.
    private var folded = 0
    private var fold = 1
    private var hop = 256
    private var untilNext: Int

    /// - Parameters:
    ///   - columns: of the picture, 1 or more.
    ///   - edges: of the rows of the spectrogram in hertz, rising; none where there is no spectrogram.
    ///   - fullScale: the largest sample that the file can hold: such a sample is clipped.
    package init(columns: Int, edges: [Double], sampleRate: Int, channels: Int, fullScale: Float = 1) {
        wanted = max(1, columns)
        self.edges = edges
        self.sampleRate = max(1, sampleRate)
        self.channels = max(1, channels)
        self.fullScale = fullScale
        recent = Array(repeating: 0, count: analyzer.frames)
        // The first one is centred on the first hop.
        untilNext = analyzer.frames / 2 + hop / 2
    }

    /// Adds frames, interleaved. What is not finite counts as silence.
    package mutating func add(_ count: Int, of samples: [Float]) {
        for frame in 0..<count {
            var column = wave ?? Column(lowest: .infinity, highest: -.infinity)
            var sum: Float = 0
            for channel in 0..<channels {
                let sample = samples[frame * channels + channel].shown
                column.lowest = min(column.lowest, sample)
                column.highest = max(column.highest, sample)
                if abs(sample) >= fullScale { column.isClipped = true }
                sum += sample
            }
            wave = column
            waveFilled += 1
            if waveFilled == waveFrames { endWave() }
            hear(sum / Float(channels))
        }
        frames += count
    }

    /// Looks at what is left. Nothing is added after it.
    package mutating func finish() {
        if wave != nil { endWave() }
        for _ in 0..<analyzer.frames / 2 { hear(0) }
        // What is shorter than a hop has a spectrum too.
        while edges.count > 1, spectra.isEmpty, folded == 0 { hear(0) }
        if folded > 0 { endSpectrum() }
    }

    /// The lowest and highest samples from the beginning to the end.
    package var columns: [Column] {
        guard !waves.isEmpty else { return [] }
        return (0..<wanted).map { column in
            let (first, last) = range(column, of: waves.count, frames: waveFrames)
            return waves[first + 1..<last + 1].reduce(waves[first]) { $0.joined($1) }
        }
    }

    /// The highest levels in dB between each two edges, for each column from the beginning to the end.
    package var levels: [[Float]] {
        guard !spectra.isEmpty else { return [] }
        return (0..<wanted).map { column in
            let (first, last) = range(column, of: spectra.count, frames: hop * fold)
            return spectra[first + 1..<last + 1].reduce(spectra[first]) { zip($0, $1).map { max($0, $1) } }
        }
    }

    /// Which of so many columns lie in one of the picture.
    private func range(_ column: Int, of count: Int, frames length: Int) -> (Int, Int) {
        let first = min(count - 1, column * frames / wanted / length)
        return (first, max(first, min(count, ((column + 1) * frames / wanted + length - 1) / length) - 1))
    }

    private mutating func endWave() {
        if let wave { waves.append(wave) }
        (wave, waveFilled) = (nil, 0)
        guard waves.count >= 4 * wanted, waves.count % 2 == 0 else { return }
        waves = stride(from: 0, to: waves.count, by: 2).map { waves[$0].joined(waves[$0 + 1]) }
        waveFrames *= 2
    }

    private mutating func hear(_ sample: Float) {
        guard edges.count > 1 else { return }
        recent[recentCount % recent.count] = sample
        recentCount += 1
        untilNext -= 1
        guard untilNext == 0 else { return }
        untilNext = hop
        let start = recentCount % recent.count
        let lines = analyzer.lines(of: Array(recent[start...] + recent[..<start]), sampleRate: sampleRate)
        let levels = lines.highest(between: edges).map { Float($0) }
        spectrum = spectrum.isEmpty ? levels : zip(spectrum, levels).map { max($0, $1) }
        folded += 1
        if folded == fold { endSpectrum() }
    }

    private mutating func endSpectrum() {
        spectra.append(spectrum)
        (spectrum, folded) = ([], 0)
        guard spectra.count >= 4 * wanted, spectra.count % 2 == 0 else { return }
        spectra = stride(from: 0, to: spectra.count, by: 2).map {
            zip(spectra[$0], spectra[$0 + 1]).map { max($0, $1) }
        }
        if hop < analyzer.frames / 2 { hop *= 2 } else { fold *= 2 }
    }
}

extension SoundTrail.Column {
    fileprivate func joined(_ other: Self) -> Self {
        Self(
            lowest: min(lowest, other.lowest), highest: max(highest, other.highest),
            isClipped: isClipped || other.isClipped)
    }
}
