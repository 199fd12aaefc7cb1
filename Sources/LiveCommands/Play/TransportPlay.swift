import AudioIO
import AudioRecording

/// Files that are played with JACK's transport: what is heard of them, and keys that move the transport.
final class TransportPlay {
    private let entries: [PlayedEntry]
    private let playbacks: [Playback]
    private let player: Player
    private let engine: Engine
    private var told: Set<Int> = []
    private var isFinished = false

    /// - Parameter entries: files.
    init(_ entries: [PlayedEntry], _ player: Player, _ engine: Engine) {
        self.entries = entries
        self.player = player
        self.engine = engine
        playbacks = player.follow(entries.compactMap(\.source))
    }

    var isRolling: Bool { engine.transport?.isRolling ?? false }

    /// What the transport is at; `nil` behind the end of the list.
    var current: (entry: PlayedEntry, number: Int, seconds: Double)? {
        guard let place else { return nil }
        return (entries[place.index], place.index + 1, playbacks[place.index].item.startSeconds + place.seconds)
    }

    private var place: (index: Int, seconds: Double)? {
        guard let frame = engine.transport?.frame else { return nil }
        return player.place(ofTransportFrame: frame, sampleRate: engine.sampleRate)
    }

    /// What has begun to be heard since the last call, for the first time.
    func takeBegun() -> [(entry: PlayedEntry, number: Int)] {
        let begun = playbacks.indices.filter { !told.contains($0) && playbacks[$0].hasBegun }
        told.formUnion(begun)
        return begun.map { (entries[$0], $0 + 1) }
    }

    /// Nothing more is heard.
    func finish() {
        for (entry, playback) in zip(entries, playbacks) { entry.note(playback) }
        isFinished = true
    }

    /// As `PlayQueue.playing`.
    var playing: [ObjectIdentifier: [Playback]] {
        guard !isFinished else { return [:] }
        return Dictionary(zip(entries.map(ObjectIdentifier.init), playbacks.map { [$0] }), uniquingKeysWith: +)
    }

    // Keys: any client may move the transport, and all follow.

    func roll(_ isWanted: Bool) { if isWanted { engine.startTransport() } else { engine.stopTransport() } }

    func seek(by seconds: Double) {
        guard let frame = engine.transport?.frame else { return }
        locate(to: Double(frame) + seconds * Double(engine.sampleRate))
    }

    /// Behind the last file there is silence: the run goes on, unlike that of a list that is played by itself.
    func skip() { if let place { locate(toEntry: place.index + 1) } }

    /// To the one before in which there is something.
    func goBack() {
        locate(toEntry: entries.prefix(place?.index ?? entries.count).lastIndex { $0.seconds != 0 } ?? 0)
    }

    private func locate(toEntry index: Int) {
        let rate = Double(engine.sampleRate)
        locate(to: entries[..<index].reduce(0) { $0 + (($1.seconds ?? 0) * rate).rounded() })
    }

    private func locate(to frame: Double) {
        engine.locateTransport(to: UInt32(max(0, min(frame.rounded(), Double(UInt32.max)))))
    }
}
