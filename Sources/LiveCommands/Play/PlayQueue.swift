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

    var isOver: Bool { turns.isEmpty && leaving.isEmpty && following(last) == nil }

    /// What plays of each file, or waits for that, and is not in its account yet.
    var playing: [ObjectIdentifier: [Playback]] {
        Dictionary(grouping: leaving + turns) { ObjectIdentifier(entry(at: $0.place)) }.mapValues { $0.map(\.playback) }
    }

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
        for entry in entries { entry.note(entry.pipe?.flaws ?? []) }
    }

    /// Goes on with the next file; at the end of the list, returns that nothing follows.
    mutating func skip() -> Bool {
        // What is scheduled already follows, a pipe too.
        guard let next = turns.dropFirst().first?.place ?? following(turns.first?.place ?? last) else { return false }
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

    /// The list begins again at its end, or does not. A file that is being read already is heard.
    mutating func toggleLoop() {
        guard canLoop else { return }
        playlist.isLooping.toggle()
        guard !playlist.isLooping, let current = turns.first?.place else { return }
        let behind = turns.filter { playlist.isBehindRound(of: current, $0.place) }
        turns.removeLast(player.cancel(behind.map(\.playback)))
        last = turns.last?.place ?? last
    }

    /// Whether the list may begin again: a pipe is heard once, and what goes by no clock needs an end.
    var canLoop: Bool { !schedulesAll && entries.allSatisfy(\.isRepeatable) }

    /// How long a file lasts on average, in seconds, where so short ones follow each other that some are not ready in time:
    /// all that is scheduled is then less than the second that the player reads ahead. `nil` where they are long enough.
    var tooShortSeconds: Double? {
        guard !schedulesAll, playlist.isLooping || entries.count > Self.aheadCount else { return nil }
        let lengths = entries.compactMap(\.seconds).filter { $0 > 0 }
        let mean = lengths.reduce(0, +) / Double(max(1, lengths.count))
        return mean > 0 && mean * Double(Self.aheadCount) < 1 ? mean : nil
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

    mutating func schedule() { schedule(from: following(last), at: .afterPrevious) }

    /// Schedules what comes, all of it at once: a freewheeling server would be through with one file before it heard of the next.
    private mutating func schedule(from first: Int?, at start: Player.Start) {
        var (places, items): ([Int], [any Playable]) = ([], [])
        var ahead = schedulesAll ? 0 : turns.dropFirst().reduce(0) { $0 + length($1.place) }
        var next = first
        while let place = next, takesMore(turns.count + places.count, ahead: ahead) {
            let isWanted = start == .now && places.isEmpty
            guard isWanted || entry(at: place).isReady else { break }
            next = following(place)
            let previous = isWanted ? nil : places.last ?? turns.last?.place
            items.append(
                entry(at: place).scheduled(between: previous.map { entry(at: $0) }, and: next.map { entry(at: $0) }))
            // Behind what is heard.
            if turns.count + places.count > 0 { ahead += length(place) }
            places.append(place)
            last = place
        }
        guard !items.isEmpty else { return }
        for (place, playback) in zip(places, player.play(items, at: start)) {
            turns.append(Turn(place: place, playback: playback))
        }
    }

    private func takesMore(_ count: Int, ahead: Double) -> Bool {
        if count < 2 { return true }
        return schedulesAll ? count < Self.mostCount : ahead < Self.aheadSeconds && count < Self.aheadCount
    }

    private func length(_ place: Int) -> Double { entry(at: place).seconds ?? Self.aheadSeconds }

    private mutating func jump(to place: Int) {
        // A pipe of which nothing was heard may still come.
        for turn in turns where !turn.playback.hasBegun { entry(at: turn.place).isScheduled = false }
        // What is being read fades out, and so does what was about to go on at another time.
        let kept = turns.count - player.cancel(turns.map(\.playback))
        leaving += turns.enumerated().filter { $0.offset < kept || $0.element.playback.hasBegun }.map(\.element)
        turns = []
        barren = 0
        schedule(from: place, at: .now)
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
    var isLooping: Bool
    /// `nil` where it is that of the words.
    private let random: RandomOrder?

    /// - Parameter seed: where the order is random, what it comes of: a new one for each round.
    init(count: Int, isLooping: Bool = false, seed: UInt64? = nil) {
        self.count = count
        self.isLooping = isLooping
        random = seed.map { RandomOrder(count, seed: $0) }
    }

    var isShuffled: Bool { random != nil }

    /// The number of the file at a place, from 0.
    func file(at place: Int) -> Int { random?.order(of: place / count)[place % count] ?? place % count }

    /// `nil` at the end of the list.
    func next(after place: Int) -> Int? {
        (place + 1) % count != 0 || isLooping ? place + 1 : nil
    }

    /// Whether a place is behind the end of a round, counted from that of another place.
    func isBehindRound(of current: Int, _ place: Int) -> Bool { place / count > current / count }
}

/// The random orders of a list, one for each round.
private final class RandomOrder {
    private let count: Int
    private let seed: UInt64
    /// Asked for again and again while a round is heard and the next one comes.
    private var known: [Int: [Int]] = [:]

    init(_ count: Int, seed: UInt64) {
        self.count = count
        self.seed = seed
    }

    func order(of round: Int) -> [Int] {
        if let order = known[round] { return order }
        var order = shuffled(round)
        // What ended a round does not begin the next one. Of two files, that would leave one order.
        if count > 2, round > 0, shuffled(round - 1).last == order[0] { order.swapAt(0, 1) }
        known = known.filter { abs($0.key - round) <= 1 }
        known[round] = order
        return order
    }

    private func shuffled(_ round: Int) -> [Int] {
        var generator = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: round) &* 0xd1b5_4a32_d192_ed03)
        return (0..<count).shuffled(using: &generator)
    }
}
