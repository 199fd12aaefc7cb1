/// A program that runs, as `/proc` shows it.
struct RunningProcess {
    var identifier: Int
    /// What the kernel calls it: at most 15 bytes.
    var name: String
    /// The number of its user; `nil` where that is hidden.
    var user: Int?
    /// The words it was started with; empty for a thread of the kernel.
    var arguments: [String]
    /// `T` is stopped, `Z` has ended.
    var state: String
    /// The highest real-time priority among its threads, 1…99; 0 where none runs in real time.
    var realtimePriority: Int
    /// Of one processor, how much it has used since it was started: 1 is all of it.
    var load: Double?

    /// All programs that are to be seen; `nil` where none is.
    static func all(_ machine: Machine) -> [RunningProcess]? {
        let uptime = machine.text("/proc/uptime")?.words.first.flatMap(Double.init)
        let found = machine.names(in: "/proc")?.compactMap { Int($0) }.sorted().compactMap {
            RunningProcess($0, machine, uptime: uptime)
        }
        return found?.isEmpty == false ? found : nil
    }

    private init?(_ identifier: Int, _ machine: Machine, uptime: Double?) {
        let folder = "/proc/\(identifier)"
        guard let line = machine.text("\(folder)/stat"), let own = Stat(line) else { return nil }
        self.identifier = identifier
        name = own.name
        state = own.state
        user = machine.text("\(folder)/status")?.value(of: "Uid")?.words.first.flatMap { Int($0) }
        arguments =
            machine.text("\(folder)/cmdline")?.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
            ?? []
        if arguments.last == "" { arguments.removeLast() }
        let threads = machine.names(in: "\(folder)/task") ?? []
        realtimePriority =
            ([own] + threads.compactMap { machine.text("\(folder)/task/\($0)/stat").flatMap(Stat.init) })
            .map(\.realtimePriority).max() ?? 0
        load = uptime.flatMap { own.load(uptime: $0) }
    }

    /// The line that the kernel has on a process or thread.
    private struct Stat {
        var name: String
        var state: String
        var realtimePriority: Int
        private var usedTicks: Int
        private var startTicks: Int

        /// In which the kernel counts, whatever its timer does: 100 in a second.
        private static let ticksPerSecond = 100.0

        init?(_ line: String) {
            // The name is in parentheses, and may hold any itself.
            guard let start = line.firstIndex(of: "("), let end = line.lastIndex(of: ")"), start < end else {
                return nil
            }
            name = String(line[line.index(after: start)..<end])
            let fields = line[line.index(after: end)...].words
            guard fields.count > 38, let user = fields[11].wholeNumber, let system = fields[12].wholeNumber,
                let begin = fields[19].wholeNumber, let priority = fields[37].wholeNumber
            else { return nil }
            state = fields[0]
            usedTicks = user + system
            startTicks = begin
            realtimePriority = priority
        }

        func load(uptime: Double) -> Double? {
            let age = uptime - Double(startTicks) / Self.ticksPerSecond
            return age > 1 ? Double(usedTicks) / Self.ticksPerSecond / age : nil
        }
    }
}
