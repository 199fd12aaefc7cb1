import AudioDSP
import AudioRealtime
import Foundation

extension Section {
    static let equaliser = Section(
        name: "equaliser",
        introduction: """
            An equaliser node on two channels, as a plan of input, equaliser and output, against the same in C (clang -O3):
            the same loop, two channels and four stages at once, and plain: one stage after the other, channel by channel.
            plan, twin, plain: nanoseconds for a block, medians. ratio: median of plan / twin in each turn.
            """
    ) { workshop in
        let twins = try Twins(at: workshop.twins)
        var rows: [[String]] = []
        var goals: [Goal] = []
        for frames in [64, 256] {
            for count in [0, 1, 4, 8, 32] {
                let bands = (0..<count).map { band in
                    EqualiserBand(
                        .peak, hertz: 30 * pow(600, Double(band) / 31), q: 4, decibels: band % 2 == 0 ? 6 : -6)
                }
                let setting = EqualiserSetting(bands, sampleRate: 48_000)
                let control = EqualiserControl(channels: 2, setting)
                let biquads = (0..<count).map { setting.stages[$0].biquad }
                let plan = PlanLoop(row: [.processor(control.state)], channels: 2, frames: frames)
                let race = Race(
                    [
                        plan.contender, contender(try twins.equaliser(biquads, isPlain: false), frames),
                        contender(try twins.equaliser(biquads, isPlain: true), frames),
                    ], roundNanoseconds: 50_000)
                let ratio = race.ratio(0, to: 1)
                rows.append(
                    ["\(count)", "\(frames)"] + (0..<3).map { race.nanoseconds($0).text(0) } + [ratio.text(2)])
                if count == 32 {
                    goals.append(
                        Goal("32 bands of equaliser, \(frames) frames, plan against its twin", ratio, atMost: 1.05))
                }
            }
        }
        print(Table(["bands", "frames", "plan", "twin", "plain", "ratio"], rows).text)
        return goals
    }
}

private func contender(_ twin: EqualiserTwin, _ frames: Int) -> Contender {
    let block = sound(2, frames)
    return Contender(run: { count in
        for _ in 0..<count { twin.render(twin.equaliser, block.channel(0), block.channel(1), frames) }
    })
}
