import Jack

extension Section {
    static let scaling = Section(
        name: "scaling",
        introduction: """
            What a cycle costs, in the loop, with more channels and with longer periods. Linear means that twice the
            samples cost at most twice the time; less than twice where the fixed cost of a cycle still counts.
            ns: median time of a cycle. per sample: the same divided by channels and frames.
            growth: to the row above.
            """
    ) { _ in
        let channels = [1, 2, 4, 8, 16, 32, 64, 128, 256]
        let periods = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
        let wide = sweep("channels of 64 frames", channels.map { ($0, RenderLoop(channels: $0), $0 * 64) })
        print("")
        let long = sweep("frames of 2 channels", periods.map { ($0, RenderLoop(frames: $0), $0 * 2) })
        return [
            Goal("steepest doubling, 1 to 256 channels", wide, atMost: 2.2),
            Goal("steepest doubling, 16 to 8192 frames", long, atMost: 2.2),
        ]
    }

    /// Prints a table of costs, and returns the largest growth from one row to the next.
    private static func sweep(_ title: String, _ loops: [(size: Int, loop: RenderLoop, samples: Int)]) -> Double {
        let race = Race(loops.map { $0.loop.contender() }, rounds: 500)
        var rows: [[String]] = []
        var steepest = 0.0
        for (index, entry) in loops.enumerated() {
            let time = race.nanoseconds(index)
            let growth = index == 0 ? nil : time / race.nanoseconds(index - 1)
            steepest = max(steepest, growth ?? 0)
            rows.append([
                "\(entry.size)", time.text(0), (time / Double(entry.samples)).text(2), growth?.text(2) ?? "",
            ])
        }
        print(Table([title, "ns", "per sample", "growth"], rows).text)
        return steepest
    }
}
