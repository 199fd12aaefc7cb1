import Foundation
import TestSupport
import Testing

@testable import AudioMetering

@Suite("A spectrum") struct SpectrumTests {
    private func tone(_ lines: Double, of frames: Int, decibels: Double, phase: Double = 0) -> [Float] {
        (0..<frames).map {
            Float(pow(10, decibels / 20) * sin(phase + 2 * .pi * lines * Double($0) / Double(frames)))
        }
    }

    @Test(arguments: [1024, 8192])
    func `has a tone's level within 0.1 dB and its frequency within 0.1 lines, wherever it lies and how soft it is`(
        _ frames: Int
    ) throws {
        let analyzer = SpectrumAnalyzer(frames: frames)
        var (level, place) = (0.0, 0.0)
        let count = 8192 * 40 / frames
        for number in 0..<count {
            let lines = 5 + (Double(frames) / 2 - 10) * Double(number) / Double(count - 1)
            let decibels = -100 * Double((number * 37) % 101) / 100
            let block = tone(lines, of: frames, decibels: decibels, phase: Double(number))
            let spectrum = analyzer.lines(of: block, sampleRate: 48000)
            let peak = try #require(spectrum.highestPeak(from: 0, least: -120), "line \(lines), \(decibels) dB")
            level = max(level, abs(peak.decibels - decibels))
            place = max(place, abs(peak.hertz / spectrum.hertzPerLine - lines))
        }
        #expect(level <= 0.1 && place <= 0.1, "\(level) dB, \(place) lines")
    }

    @Test func `has a tone's frequency beside a louder offset too, and none of the offset alone`() throws {
        let analyzer = SpectrumAnalyzer(frames: 8192)
        for sampleRate in [48_000, 192_000] {
            let soft = tone(440 * 8192 / Double(sampleRate), of: 8192, decibels: -54).map { $0 + 0.01 }
            let peak = try #require(analyzer.lines(of: soft, sampleRate: sampleRate).highestPeak())
            #expect(abs(peak.hertz - 440) < 1 && abs(peak.decibels + 54) < 0.1, "\(peak)")
            let offset = analyzer.lines(of: [Float](repeating: 1, count: 8192), sampleRate: sampleRate)
            #expect(offset.highestPeak() == nil)
        }
    }

    @Test func `shows nothing beside a tone above the window's side lobes`() {
        let analyzer = SpectrumAnalyzer(frames: 8192)
        for lines in [40.0, 333.5, 1000.25, 4000.4] {
            let spectrum = analyzer.lines(of: tone(lines, of: 8192, decibels: 0), sampleRate: 48000)
            let beside = spectrum.powers.indices.filter { abs(Double($0) - lines) > 4.5 }
            let highest = beside.map { spectrum.decibels(ofLine: $0) }.max() ?? 0
            #expect(highest <= SpectrumAnalyzer.sideLobeDecibels + 0.3, "\(highest) dB")
        }
        let silence = analyzer.lines(of: [Float](repeating: 0, count: 8192), sampleRate: 48000)
        #expect(silence.powers.allSatisfy { $0 == 0 } && silence.highestPeak() == nil)
        let broken = analyzer.lines(of: [Float](repeating: .nan, count: 8192), sampleRate: 48000)
        #expect(broken == silence)
    }

    @Test(arguments: [1, 3, 6, 12])
    func `in bands has a tone's level in its band, and noise's power in all`(_ perOctave: Int) {
        let bands = OctaveBands(perOctave: perOctave, in: 50...16000)
        let analyzer = SpectrumAnalyzer(frames: 8192)
        for band in bands.centers.indices where bands.edges[band + 1] - bands.edges[band] > 30 {
            let lines = bands.centers[band] * 8192 / 48000
            let levels = analyzer.lines(of: tone(lines, of: 8192, decibels: -20), sampleRate: 48000).levels(of: bands)
            #expect(abs(levels[band] + 20) < 0.1, "\(bands.centers[band]) Hz: \(levels[band]) dB")
        }
        var generator = SeededGenerator(seed: 7)
        var power = 0.0
        let full = OctaveBands(perOctave: perOctave, in: 25...22000)
        for _ in 0..<10 {
            let noise = generator.signal(count: 8192, magnitude: 0.5)
            let levels = analyzer.lines(of: noise, sampleRate: 48000).levels(of: full)
            power += levels.reduce(0) { $0 + pow(10, $1 / 10) }
        }
        // Uniform noise of ±0.5 has a power of 1/12, a sine at full scale 1/2; a part of it lies beyond the bands.
        let covered = (full.edges[full.edges.count - 1] - full.edges[0]) / 24000
        #expect(abs(10 * log10(power / 10 / (min(1, covered) / 6))) < 0.4)
    }

    @Test func `bands lie side by side, centred on 1000 Hz`() throws {
        let bands = OctaveBands(perOctave: 3, in: 20...20000)
        #expect(bands.edges.count == bands.centers.count + 1 && bands.centers.contains(1000))
        #expect(abs(try #require(bands.centers.first) - 24.803) < 0.01)
        for (center, edge) in zip(bands.centers, bands.edges) { #expect(edge < center) }
    }

    @Test func `between edges is the highest line, and the nearest where there is none between`() {
        let lines = SpectrumLines(powers: [0, 1e-2, 1, 1e-4, 0], hertzPerLine: 10)
        func levels(_ edges: [Double]) -> [Double] { lines.highest(between: edges).map { $0.rounded() } }
        #expect(levels([5, 15, 35]) == [-20, 0] && levels([29, 30, 31]) == [-40, -40])
        #expect(lines.highest(between: [1000, 2000]) == [-140])
    }

    /// As of a file of floating point, or of a plug-in that is not stable.
    @Test(arguments: [1e10, 1e30, 3e38] as [Float])
    func `a sound far beyond full scale has finite levels`(_ amplitude: Float) throws {
        let block = (0..<4096).map { amplitude * Float(sin(2 * Double.pi * 1000 * Double($0) / 48_000)) }
        let lines = SpectrumAnalyzer(frames: 4096).lines(of: block, sampleRate: 48_000)
        #expect(lines.highest(between: SoundScope.edges).allSatisfy { $0.isFinite && $0 >= -140 })
        if let peak = lines.highestPeak() { #expect(peak.decibels.isFinite && peak.hertz.isFinite) }
    }

    @Test func `the loudest sound that there is has levels where it is, and nowhere else`() {
        let analyzer = SpectrumAnalyzer(frames: 4096)
        let loudest = [Float](repeating: .greatestFiniteMagnitude, count: 4096)
        let steady = analyzer.lines(of: loudest, sampleRate: 48_000)
        let alternating = analyzer.lines(of: loudest.enumerated().map { $0 % 2 == 0 ? $1 : -$1 }, sampleRate: 48_000)
        #expect(steady.powers.allSatisfy(\.isFinite) && alternating.powers.allSatisfy(\.isFinite))
        #expect(steady.decibels(ofLine: 0) > 300 && steady.decibels(ofLine: 1000) < 300)
        #expect(alternating.decibels(ofLine: 2048) > 300 && alternating.decibels(ofLine: 1000) < 300)
    }

    @Test func `frequencies that no sound has end no program`() throws {
        let lines = SpectrumLines(powers: [0, 1e-2, 1, 1e-4, 0], hertzPerLine: 10)
        let strange = [-Double.infinity, -1, 0, .nan, 1e300, .infinity]
        for hertz in strange { _ = lines.highestPeak(from: hertz) }
        #expect(lines.highestPeak(from: .infinity) == nil && lines.highestPeak(from: -1) == lines.highestPeak(from: 0))
        #expect(lines.highest(between: [-.infinity, -1, 15, .infinity]).map { $0.rounded() } == [-140, -20, 0])
        for (low, high) in [(-2.0, -1.0), (0, 0), (-.infinity, .infinity), (1e300, 1e300)] {
            let bands = OctaveBands(perOctave: 1, in: low...high)
            #expect(bands.edges.count == bands.centers.count + 1)
            #expect(lines.levels(of: bands).allSatisfy { $0 >= -140 })
        }
        let silent = SpectrumLines(powers: [0, 0, 0], hertzPerLine: 0)
        #expect(silent.highestPeak(from: 10) == nil && silent.highest(between: strange).allSatisfy { $0 == -140 })
    }
}

@Suite("What a display holds") struct DisplayTests {
    @Test func `a peak stays for a while, and then falls with its level`() {
        var hold = PeakHold(count: 1)
        hold.update([-10], atSeconds: 0)
        hold.update([-60], atSeconds: 1)
        #expect(hold.held == [-10] && abs(hold.levels[0] + 36) < 1e-9)
        hold.update([-60], atSeconds: 2)
        #expect(abs(hold.held[0] + 36) < 1e-9 && abs(hold.levels[0] + 60) < 1e-9)
        hold.update([-5], atSeconds: 2.1)
        #expect(hold.held == [-5] && hold.levels == [-5])
    }

    @Test func `fewer levels than none are none`() {
        var hold = PeakHold(count: -1)
        hold.update([], atSeconds: 0)
        #expect(hold.levels.isEmpty && hold.held.isEmpty)
    }

    @Test func `an oscilloscope begins at the last rising edge, and noise about 0 is none`() throws {
        let wave = (0..<1000).map { Float(sin(2 * .pi * (Double($0) - 30.25) / 100)) }
        let place = try #require(RisingEdge.last(in: wave, before: 700))
        #expect(abs(place - 630.25) < 0.01, "\(place)")
        var noisy = wave
        for index in 660...670 { noisy[index] = index % 2 == 0 ? 0.01 : -0.01 }
        #expect(RisingEdge.last(in: noisy, before: 700) == RisingEdge.last(in: wave, before: 700))
        #expect(RisingEdge.last(in: [0, 0, 0], before: 3) == nil && RisingEdge.last(in: [], before: 5) == nil)
        #expect(RisingEdge.last(in: [1, 0.5, 1], before: 3) == nil)
    }

    @Test(arguments: [24_000, 48_000, 96_000])
    func `columns of the page's wave last as long at each rate of the server`(_ rate: Int) {
        let sound = SoundTrail(columnsPerSecond: SoundScope.columnsPerSecond)
        // A second, in buffers of the length that they got at 48 kHz.
        let buffer = [Float](repeating: 0.5, count: SoundScope.columnFrames(48_000))
        for _ in 0..<rate / buffer.count { sound.add([buffer[...]], sampleRate: rate) }
        let columns = sound.takeColumns(256)
        #expect(columns.count == 128 && columns.allSatisfy { SoundScope.column($0) == [64, 64] })
        #expect(sound.takeColumns(256).isEmpty)
    }

    @Test(arguments: [1, 3, 10, 20, 26]) func `the loudest sound of several channels has a mean that is a number`(
        _ channels: Int
    ) {
        let wave = (0..<SoundScope.spectrumFrames).map { frame -> Float in
            frame / 100 % 2 == 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude
        }
        let signals = [ArraySlice<Float>](repeating: wave[...], count: channels)
        let trail = SoundTrail()
        trail.add(signals, sampleRate: 48_000)
        let sound = trail.recent(wave.count).samples
        #expect(sound.allSatisfy(\.isFinite) && RisingEdge.last(in: sound, before: 3000)?.isFinite == true)
        #expect(SoundScope.Trace(sound, sampleRate: 48_000).samples.max() == 127)
    }
}
