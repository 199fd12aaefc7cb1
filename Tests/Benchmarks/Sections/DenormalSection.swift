import AudioDSP
import AudioRealtime
import Glibc
import Threads

extension Section {
    static let denormals = Section(
        name: "denormals",
        introduction: """
            What a tail costs that has decayed below the smallest normal number (1.2e-38), in the loop at 64 frames and
            2 channels, against silence: with flush-to-zero on, as on the audio thread, and with it off.
            ns: median time of a cycle. ratio: median of tail / silence in each turn.
            """
    ) { workshop in
        var rows: [[String]] = []
        var goals: [Goal] = []
        var gradual = workshop.gradualUnderflow
        defer { Denormals.flushOnThisThread() }
        for isFlushing in [true, false] {
            if isFlushing { Denormals.flushOnThisThread() } else { fesetenv(&gradual) }
            for shape in [Shape.cubic, .tanh] {
                var parameters = ShaperSetting()
                parameters.shape = shape
                parameters.gain = 0.9
                let silence = RenderLoop(parameters: parameters) { _ in 0 }
                // By their bits: a calculation would flush them.
                let tail = RenderLoop(parameters: parameters) { frame in
                    Float(bitPattern: 0x0060_0000 >> UInt32(frame / 4) | UInt32(frame % 2) << 31)
                }
                let race = Race([tail.contender(), silence.contender()])
                let ratio = race.ratio(0, to: 1)
                rows.append([
                    "\(shape.name), flush-to-zero \(isFlushing ? "on" : "off")", race.nanoseconds(0).text(0),
                    race.nanoseconds(1).text(0), ratio.text(2),
                ])
                let what = "decaying tail, \(shape.name), ratio to silence"
                goals.append(
                    isFlushing
                        ? Goal(what, ratio, atMost: 1.05) : Goal("\(what), flush-to-zero off", ratio.text(2)))
            }
        }
        print(Table(["shape", "tail", "silence", "ratio"], rows).text)
        return goals
    }
}
