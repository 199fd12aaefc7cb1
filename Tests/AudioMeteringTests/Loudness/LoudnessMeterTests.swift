import AudioDSP
import AudioIO
import AudioRealtime
import AudioRecording
import Foundation
import TestSupport
import Testing

@testable import AudioMetering

@Suite("A loudness meter") struct LoudnessMeterTests {
    @Test func `knows nothing before the first sound, and silence is no loudness`() throws {
        var programme = try Programme()
        var nothing = LoudnessReading()
        nothing.truePeakDecibels = [-.infinity, -.infinity]
        #expect(programme.reading == nothing)
        programme.play(Programme.silence, seconds: 4)
        #expect(programme.reading == nothing)
    }

    /// The weighting filters ring out by thousands of decibels.
    @Test func `has none below the gate, while what was louder before stays`() throws {
        var programme = try Programme()
        programme.play(-90, seconds: 4)
        #expect(programme.reading.momentaryLUFS == -.infinity && programme.reading.shortTermLUFS == -.infinity)
        #expect(programme.reading.maximumMomentaryLUFS == -.infinity && programme.reading.integratedLUFS == -.infinity)
        #expect(programme.reading.maximumShortTermLUFS == -.infinity && programme.reading.rangeLU == nil)
        programme.play(-23, seconds: 4)
        programme.play(Programme.silence, seconds: 4)
        let after = programme.reading
        #expect(after.momentaryLUFS == -.infinity && after.shortTermLUFS == -.infinity)
        #expect(abs(after.maximumMomentaryLUFS + 23) <= 0.1 && abs(after.maximumShortTermLUFS + 23) <= 0.1)
        #expect(abs(after.integratedLUFS + 23) <= 0.3 && after.rangeLU != nil)
        programme.play(-69, seconds: 1)
        #expect(abs(programme.reading.momentaryLUFS + 69) <= 0.1, "above the gate it is measured")
    }

    @Test func `tells no loudness of a window that is not yet full`() throws {
        var programme = try Programme()
        programme.play(-23, seconds: 0.39)
        #expect(programme.reading.momentaryLUFS == -.infinity && programme.reading.integratedLUFS == -.infinity)
        programme.play(-23, seconds: 2.6)
        #expect(abs(programme.reading.momentaryLUFS + 23) <= 0.1)
        #expect(programme.reading.shortTermLUFS == -.infinity && programme.reading.maximumShortTermLUFS == -.infinity)
        programme.play(-23, seconds: 0.01)
        #expect(abs(programme.reading.shortTermLUFS + 23) <= 0.1)
    }

    @Test(arguments: [1: -23.01, 2: -20, 3: -18.24, 4: -16.19, 7: -14.56, 64: -4.95])
    func `counts each channel for the loudspeaker it is for`(_ channels: Int, _ loudness: Double) throws {
        var programme = try Programme(channels: channels)
        programme.play(-20, seconds: 1)
        #expect(abs(programme.reading.momentaryLUFS - loudness) <= 0.1, "\(programme.reading.momentaryLUFS)")
        #expect(programme.reading.truePeakDecibels.count == channels)
    }

    @Test func `shows the same however the sound is cut into blocks`() throws {
        let frames = 30_000
        var generator = SeededGenerator(seed: 3341)
        let sound = (0..<2 * frames).map { _ in Float.random(in: -0.5...0.5, using: &generator) }
        let whole = try LoudnessAnalyzer(sampleRate: 44100, channels: 2)
        whole.add(frames, of: sound)
        let pieces = try LoudnessAnalyzer(sampleRate: 44100, channels: 2)
        var start = 0
        while start < frames {
            let count = min(Int.random(in: 0...1500, using: &generator), frames - start)
            pieces.add(count, of: Array(sound[2 * start..<2 * (start + count)]))
            start += count
        }
        #expect(pieces.reading == whole.reading)
        #expect(whole.reading.integratedLUFS > -30)
    }

    @Test func `goes on at another sample rate, with what it has measured`() throws {
        func tone(_ amplitude: Double, sampleRate: Int) -> [Float] {
            (0..<3 * sampleRate).flatMap { (frame: Int) -> [Float] in
                let phase = 2 * Double.pi * 1000 * Double(frame) / Double(sampleRate)
                return [Float](repeating: Float(amplitude * sin(phase)), count: 2)
            }
        }
        let analyzer = try LoudnessAnalyzer(sampleRate: 48000, channels: 2)
        analyzer.add(3 * 48000, of: tone(0.5, sampleRate: 48000))
        let before = analyzer.reading
        #expect(analyzer.change(sampleRate: 44100))
        #expect(analyzer.sampleRate == 44100)
        #expect(analyzer.reading.integratedLUFS == before.integratedLUFS)
        #expect(analyzer.reading.truePeakDecibels == before.truePeakDecibels)
        analyzer.add(3 * 44100, of: tone(0.25, sampleRate: 44100))
        let after = analyzer.reading
        #expect(abs(after.shortTermLUFS - before.shortTermLUFS + 6.02) <= 0.1, "the last 3 s are 6 dB quieter")
        // The mean of the energies of both halves: 10 lg ((1 + ¼) / 2).
        #expect(abs(after.integratedLUFS - before.integratedLUFS + 2.04) <= 0.1, "\(after.integratedLUFS)")
        #expect(after.truePeakDecibels == before.truePeakDecibels)
        #expect(!analyzer.change(sampleRate: 4000) && analyzer.sampleRate == 44100)
    }

    @Test func `measures 1 to 64 channels at 8000 Hz and more, and says so of others`() {
        #expect(throws: LoudnessError.channels(0)) { try LoudnessMeter(sampleRate: 48000, channels: 0) }
        #expect(throws: LoudnessError.channels(65)) { try LoudnessMeter(sampleRate: 48000, channels: 65) }
        #expect(throws: LoudnessError.sampleRate(7999)) { try LoudnessMeter(sampleRate: 7999, channels: 2) }
        #expect(LoudnessError.channels(65).description.contains("1 to 64 channels, and not of 65"))
        #expect(LoudnessError.sampleRate(4000).description.contains("8000"))
    }

    @Test func `that reads too late counts what it has missed, and measures the rest`() throws {
        let tap = Tap(channels: 1, capacity: 9600)
        let reader = tap.reader(capacity: 9600)
        let meter = try LoudnessMeter(sampleRate: 48000, channels: 1)
        var dropped = 0
        // Nobody reads yet, so that the last third of it, which is louder, finds no room.
        let planes = Planes(channels: 1, capacity: 480)
        for number in 0..<30 {
            for frame in 0..<480 { planes.run(0, count: 480)[frame] = number < 20 ? 0.25 : 1 }
            if !tap.writer.pointer.pointee.write(TapBlock(frames: 480), planes, planes.all) { dropped += 480 }
        }
        #expect(dropped == 4800)
        try meter.start(reader)
        meter.finish()
        #expect(meter.reading.droppedFrames == 4800)
        let peak = meter.reading.truePeakDecibels[0]
        // Where the sound sets in from nothing, the wave goes beyond it.
        #expect((-12.1 ... -10.5).contains(peak), "\(peak)")
    }

    @Test(.privateServer()) func `on a unit's outputs shows the loudness of what the unit plays`() throws {
        var configuration = UnitConfiguration()
        configuration.serverName = PrivateServer.name
        configuration.shape = .off
        configuration.gainDecibels = -6
        configuration.inputs = .none
        configuration.outputs = .none
        let unit = try IOUnit(configuration)
        let meter = try LoudnessMeter(sampleRate: PrivateServer.current.configuration.sampleRate, channels: 2)
        try meter.start(unit.addTap(capacityFrames: 48000 * 4))
        let engine = try Engine(unit)
        let player = engine.attach(Player())
        try engine.connect(player, to: unit.shaper)
        try player.play(.tone(hertz: 1000))
        try engine.start()
        // The tone has −12.04 dBFS.
        try waitUntil("the loudness of the tone") { abs(meter.reading.momentaryLUFS + 18.04) <= 0.1 }
        engine.close()
        meter.finish()
        let reading = meter.reading
        #expect(abs(reading.maximumMomentaryLUFS + 18.04) <= 0.1)
        // Where JACK has lost a cycle, the tone jumps by up to twice its height.
        for peak in reading.truePeakDecibels { #expect((-18.44 ... -10).contains(peak)) }
        #expect(reading.droppedFrames == 0)
    }
}
