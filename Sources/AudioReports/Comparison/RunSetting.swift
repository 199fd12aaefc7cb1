extension MeasuredRun {
    /// The ports between which a latency was measured.
    package struct Path: Sendable, Equatable {
        package let send: String
        package let heardAt: String

        /// `nil` where the report does not tell.
        init?(_ report: ReportValue) {
            guard let send = report.text("send"), let heardAt = report.text("return") else { return nil }
            self.send = Self.portWithoutNumber(send)
            self.heardAt = Self.portWithoutNumber(heardAt)
        }

        /// `system:playback_1 → system:capture_1`.
        package var inWords: String { "\(send) → \(heardAt)" }

        /// JACK numbers the second client of a name. Ports of our own are those of a self-loop, which is the same path each time.
        private static func portWithoutNumber(_ port: String) -> String {
            let parts = port.split(separator: ":", maxSplits: 1)
            let own = LatencyReport.clientName
            guard parts.count == 2, parts[0].hasPrefix("\(own)-"),
                parts[0].dropFirst(own.count + 1).allSatisfy(\.isNumber)
            else { return port }
            return "\(own):\(parts[1])"
        }
    }

    /// One thing of what was measured where, as people read it.
    struct Setting: Sendable {
        let name: String
        /// `nil` where the report does not tell.
        let text: String?
        /// Whether no limit means anything for a run in which it is different.
        let isDeciding: Bool
        /// Whether it is a difference that one of two reports does not tell it.
        private let countsWhereUnknown: Bool

        private init(_ name: String, _ text: String?, isDeciding: Bool = false, countsWhereUnknown: Bool = true) {
            (self.name, self.text, self.isDeciding) = (name, text, isDeciding)
            self.countsWhereUnknown = countsWhereUnknown
        }

        /// `nil` where both are the same, or one is unknown and that is no difference.
        func difference(from other: Setting) -> String? {
            guard text != other.text, countsWhereUnknown || (text != nil && other.text != nil) else { return nil }
            return "\(name) \(shown(text ?? "unknown")) and \(shown(other.text ?? "unknown"))"
        }

        /// - Parameter plugins: `nil` where the report does not tell.
        static func all(of run: MeasuredRun, _ report: ReportValue, plugins: [String]?) -> [Setting] {
            // Parts are found by their names, in whatever order they were measured.
            let parts = run.parts.sorted { $0.name < $1.name }
            let queues = parts.compactMap(\.queue)
            let order = report.truth("isSequential").map { $0 ? "one mode after the other" : "all modes at once" }
            let rate = report.number("server.sampleRate").map { "\(fixed($0, 0)) Hz" }
            let priority = report.number("scheduling.priority").map { fixed($0, 0) }
            return [
                // A log does not tell it.
                Setting("measurement", run.kind == MeasuredRun.log ? nil : run.kind, countsWhereUnknown: false),
                Setting("path", run.path?.inWords, isDeciding: true),
                Setting("modes", parts.map(\.name).joined(separator: ", "), isDeciding: true),
                // Where one has none the modes are others, too.
                Setting(
                    "queues", queues.isEmpty ? nil : queues.joined(separator: ", "), isDeciding: true,
                    countsWhereUnknown: false),
                Setting("order", order, countsWhereUnknown: false),
                Setting("sample rate", rate, isDeciding: true),
                Setting("period", report.number("server.periodFrames").map { frames($0) }, isDeciding: true),
                Setting(
                    "plug-ins", plugins.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") },
                    countsWhereUnknown: false),
                // Where one is a private server, the backend is another too.
                Setting("server's name", run.serverName, countsWhereUnknown: false),
                Setting("server", report.truth("server.sync").map { $0 ? "synchronous" : "asynchronous" }),
                Setting("server's real-time scheduling", report.truth("server.realtime").map { $0 ? "on" : "off" }),
                Setting("backend", report.text("server.backend")),
                Setting("scheduling", report.text("scheduling.policy")),
                Setting("priority", priority),
                // What is the same machine by all that counts may have another name.
                Setting("host", run.machine == nil ? report.text("provenance.host") : nil, countsWhereUnknown: false),
                Setting("processor", run.machine),
                Setting("kernel", report.text("host.kernel")),
                Setting("preemption", report.text("host.preemption")),
                Setting("governor", report.text("host.governor")),
            ]
        }
    }
}
