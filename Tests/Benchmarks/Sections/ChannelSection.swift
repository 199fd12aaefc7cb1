import AudioDSP
import AudioRealtime
import Foundation
import TestSupport

extension Section {
    static let channels = Section(
        name: "channels",
        introduction: """
            What the means against aliases cost on many channels: whole cycles of 64 frames at 48 kHz, in the loop, with
            times, copies and meters. Cubic curve, linear phase.
            Nanoseconds for a frame of a channel, medians.
            At last a tail that decays into denormal numbers, on 2 channels, against silence.
            """
    ) { _ in
        let modes: [Antialiasing] = [.off, .adaa, .adaaTwofold, .best]
        let counts = [1, 2, 4, 8, 16, 32, 64, 128, 256]
        let races = modes.map { mode in
            Race(counts.map { loop(mode, channels: $0).contender() }, rounds: 300)
        }
        let rows = counts.indices.map { index in
            ["\(counts[index])"]
                + races.map { ($0.nanoseconds(index) / Double(counts[index] * 64)).text(2) }
        }
        print(Table(["channels"] + modes.map(\.name), rows).text)
        func share(_ mode: Int, _ channels: Int) -> Double {
            races[mode].nanoseconds(counts.firstIndex(of: channels) ?? 0) / periodNanoseconds * 100
        }
        var goals = [
            Goal("2 channels, 64 frames, best, share of the period", share(3, 2), atMost: 1, unit: " %"),
            Goal("256 channels, 64 frames, adaa, share of the period", share(1, 256), atMost: 15, unit: " %"),
            Goal("256 channels, 64 frames, best, share of the period", share(3, 256).text(2) + " %"),
        ]
        for (mode, race) in zip(modes, races) {
            // A cycle's own cost is shared by all channels, so that the first ones are the dearest.
            let growth = race.ratio(counts.count - 1, to: 1) * 2 / 256
            goals.append(
                Goal("a channel's frame, \(mode.name), 256 channels to 2", growth, atMost: 1.1))
        }
        return goals + tail()
    }

    private static let periodNanoseconds = 64 / 48_000 * 1e9

    private static func loop(
        _ mode: Antialiasing, channels: Int, signal: @escaping (Int) -> Float = { 0.5 * sin(Float($0) * 0.3) }
    ) -> RenderLoop {
        var parameters = ShaperSetting.cubic
        parameters.antialiasing = mode
        return RenderLoop(channels: channels, parameters: parameters, signal: signal)
    }

    private static func tail() -> [Goal] {
        let silence = loop(.best, channels: 2) { _ in 0 }
        let tail = loop(.best, channels: 2) { frame in
            Float(bitPattern: 0x0060_0000 >> UInt32(frame / 4) | UInt32(frame % 2) << 31)
        }
        let race = Race([tail.contender(), silence.contender()], rounds: 500)
        return [Goal("decaying tail, best, ratio to silence", race.ratio(0, to: 1), atMost: 1.1)]
    }
}
