import AudioDSP
import AudioRealtime

/// An equaliser between input and output, whose bands change at certain frames.
struct EqualiserRig {
    /// What is said to the equaliser before a frame is rendered.
    struct Change {
        var frame: Int
        var bands: [EqualiserBand]
    }

    var bands: [EqualiserBand] = []
    var changes: [Change] = []
    var sampleRate = 48_000
    var rampFrames = 480

    /// Runs signals through, one for each channel, cut into cycles of these lengths and where a change comes.
    func run(_ signals: [[Float]], cut lengths: [Int]? = nil) -> [[Float]] {
        let total = signals[0].count
        var ends = Set(changes.map(\.frame))
        var end = 0
        for length in lengths ?? [total] {
            end += length
            ends.insert(end)
        }
        let cuts = [0] + ends.filter { $0 > 0 }.sorted()
        func setting(_ bands: [EqualiserBand]) -> EqualiserSetting { EqualiserSetting(bands, sampleRate: sampleRate) }
        var control = EqualiserControl(
            channels: signals.count, setting(bands), rampMilliseconds: Double(rampFrames) / Double(sampleRate) * 1000)
        let nodes = [.input, .processor(control.state), .output(channels: signals.count)].map {
            PlanNode($0, channels: signals.count)
        }
        let rig = PlanRig(PlanBuilder.plan(row: nodes, rampFrames: rampFrames), inputs: signals.count)
        var waiting = changes[...]
        return rig.run(signals, cut: zip(cuts.dropFirst(), cuts).map { $0 - $1 }) { frame in
            while let change = waiting.first, change.frame <= frame {
                control.put(setting(change.bands))
                waiting.removeFirst()
            }
        }
    }

    func run(_ signal: [Float], cut lengths: [Int]? = nil) -> [Float] { run([signal], cut: lengths)[0] }
}
