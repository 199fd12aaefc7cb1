import AudioRecording
import TerminalPages
import Threads

/// Hands the files of a list to a player in time, and keeps account of what is heard of them.
struct PlayQueue {
    /// What was scheduled.
    private struct Turn {
        let place: Int
        let playback: Playback
        var isTold = false
    }

    let entries: [PlayedEntry]
    private(set) var playlist: Playlist
    private let player: Player
    /// In their order; the first is heard, or begins next.
    private var turns: [Turn] = []
    /// What something else has taken the place of, until it has faded out.
    private var leaving: [Turn] = []
    /// The last place that was scheduled; −1 before.
    private var last = -1
    /// How many in a row came to nothing.
    private var barren = 0

    /// So much is scheduled behind what is heard, in seconds: more than the second that the player reads ahead.
    private static let aheadSeconds = 3.0
    private static let aheadCount = 256
    /// Where there is no clock, and so no time to do it in, all at once: half of what a player takes.
    private static let mostCount = 1 << 15
    private let schedulesAll: Bool

    /// - Parameter isFreewheeling: whether the server waits for what is scheduled, and for nothing else.
    init(_ entries: [PlayedEntry], _ playlist: Playlist, _ player: Player, isFreewheeling: Bool) {
        self.entries = entries
        self.playlist = playlist
        self.player = player
        schedulesAll = isFreewheeling
    }

    /// What is heard, or begins next, and how far it has come; `nil` where nothing is scheduled.
    var current: (entry: PlayedEntry, number: Int, playback: Playback)? {
        turns.first.map { (entry(at: $0.place), $0.place % playlist.count + 1, $0.playback) }
    }

    /// Whether there is nothing more to play.
    var isOver: Bool { turns.isEmpty && leaving.isEmpty && following(last) == nil }

    /// Takes note of what has ended and begun, and schedules what comes. Returns what begins to be heard.
    mutating func work() -> [(entry: PlayedEntry, number: Int)] {
        var begun: [(entry: PlayedEntry, number: Int)] = []
        for turn in leaving where turn.playback.isDone { account(turn) }
        leaving.removeAll { $0.playback.isDone }
        while let turn = turns.first {
            if !turn.isTold, turn.playback.hasBegun {
                turns[0].isTold = true
                begun.append((entry(at: turn.place), turn.place % playlist.count + 1))
            }
            guard turn.playback.isDone else { break }
            turns.removeFirst()
            account(turn)
        }
        schedule()
        return begun
    }

    /// Nothing more is heard: what was heard last counts too.
    mutating func finish() {
        for turn in leaving + turns { account(turn) }
        (turns, leaving) = ([], [])
        for entry in entries { if case .pipe(let pipe) = entry.sound { entry.note(pipe.flaws) } }
    }

    /// Goes on with the next file; at the end of the list, returns that nothing follows.
    mutating func skip() -> Bool {
        guard let next = following(turns.first?.place ?? last) else { return false }
        jump(to: next)
        return true
    }

    /// Begins the file before, or at the beginning of the list the first.
    mutating func goBack() {
        guard let current = turns.first?.place ?? (last >= 0 ? last : nil) else { return }
        let places = stride(from: max(0, current - 1), through: max(0, current - playlist.count), by: -1)
        guard let place = places.first(where: { entry(at: $0).isRepeatable }) else { return }
        jump(to: place)
    }

    /// The list begins again at its end, or does not. What is being read already is heard.
    mutating func toggleLoop() {
        guard entries.allSatisfy(\.isRepeatable) else { return }
        playlist.isLooping.toggle()
        guard !playlist.isLooping, let current = turns.first?.place else { return }
        while let turn = turns.last, playlist.isBehindRound(of: current, turn.place), player.cancel(turn.playback) {
            turns.removeLast()
            last = turn.place - 1
        }
    }

    private func entry(at place: Int) -> PlayedEntry { entries[playlist.file(at: place)] }

    /// The place of what can be played behind another.
    private func following(_ place: Int) -> Int? {
        // A list of nothing that sounds is not tried again and again.
        guard barren <= playlist.count else { return nil }
        var place = place
        for _ in 0..<playlist.count {
            guard let next = place < 0 ? 0 : playlist.next(after: place) else { return nil }
            let entry = entry(at: next)
            // Nothing is heard of an empty file, nor of a pipe for the second time.
            if entry.seconds != 0, entry.isRepeatable || !entry.isScheduled { return next }
            place = next
        }
        return nil
    }

    /// Schedules what comes.
    mutating func schedule() {
        var ahead = turns.dropFirst().reduce(0) { $0 + length($1.place) }
        while turns.count < 2 || (schedulesAll && turns.count < Self.mostCount)
            || (ahead < Self.aheadSeconds && turns.count < Self.aheadCount),
            let next = following(last), entry(at: next).isReady
        {
            let playback = entry(at: next).schedule(
                on: player, between: turns.last.map { entry(at: $0.place) }, and: following(next).map { entry(at: $0) })
            turns.append(Turn(place: next, playback: playback))
            if turns.count > 1 { ahead += length(next) }
            last = next
        }
    }

    private func length(_ place: Int) -> Double { entry(at: place).seconds ?? Self.aheadSeconds }

    private mutating func jump(to place: Int) {
        for turn in turns where !player.cancel(turn.playback) { leaving.append(turn) }
        turns = []
        barren = 0
        last = place
        let playback = entry(at: place).schedule(
            on: player, at: .now, between: nil, and: following(place).map { entry(at: $0) })
        turns = [Turn(place: place, playback: playback)]
        schedule()
    }

    private mutating func account(_ turn: Turn) {
        let entry = entry(at: turn.place)
        let known = (entry.failure, entry.warnings)
        entry.note(turn.playback)
        if known.0 == nil, let failure = entry.failure { StandardError.complain(failure.description) }
        for warning in entry.warnings where !known.1.contains(warning) {
            StandardError.complain("\(entry.name): \(warning)")
        }
        barren = turn.playback.playedFrames > 0 ? 0 : barren + 1
    }
}

/// The order in which files are played, round after round. A place counts from the first file of the first round on.
struct Playlist {
    /// Of files; at least 1.
    let count: Int
    /// Whether another round follows.
    var isLooping = false
    /// Where the order is random, what it comes of: a new one for each round.
    var seed: UInt64?

    /// The number of the file at a place, from 0.
    func file(at place: Int) -> Int { order(of: place / count)[place % count] }

    /// `nil` at the end of the list.
    func next(after place: Int) -> Int? {
        (place + 1) % count != 0 || isLooping ? place + 1 : nil
    }

    /// Whether a place is behind the end of a round, counted from that of another place.
    func isBehindRound(of current: Int, _ place: Int) -> Bool { place / count > current / count }

    private func order(of round: Int) -> [Int] {
        guard let order = shuffled(round) else { return Array(0..<count) }
        // What ended a round does not begin the next one. Of two files, that would leave one order.
        guard count > 2, round > 0, let last = shuffled(round - 1)?.last, order[0] == last else { return order }
        return [order[1], order[0]] + order[2...]
    }

    private func shuffled(_ round: Int) -> [Int]? {
        guard let seed else { return nil }
        var generator = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: round) &* 0xd1b5_4a32_d192_ed03)
        return (0..<count).shuffled(using: &generator)
    }
}
