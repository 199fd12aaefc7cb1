/// What a file says of places in its sound.
package struct SoundPlaces {
    package private(set) var markers: [Marker]
    package private(set) var loops: [SoundFileLoop]
    /// Of MIDI.
    let baseNote: Int
    /// Markers and loops beyond the end of the sound, which are left out.
    private let strayCount: Int
    /// Loops of the file beyond as many as are read.
    private let unreadLoops: Int

    /// - Parameter frames: how many the sound has; `nil` where nobody knows, and all places are taken.
    init(
        markers: [Marker] = [], loops: [SoundFileLoop] = [], baseNote: Int = SoundFileLoop.usualBaseNote,
        unreadLoops: Int = 0, within frames: Int? = nil
    ) {
        let end = frames ?? .max
        self.markers = markers.filter { $0.frame <= end }
        self.loops = loops.filter { $0.endFrame <= end }
        self.baseNote = baseNote
        self.unreadLoops = unreadLoops
        strayCount = markers.count - self.markers.count + loops.count - self.loops.count
    }

    var isEmpty: Bool { markers.isEmpty && loops.isEmpty && !hasBaseNote }
    private var hasBaseNote: Bool { baseNote != SoundFileLoop.usualBaseNote }

    /// What is wrong with them, in words.
    package var warnings: [String] {
        let stray =
            switch strayCount {
            case 0: [String]()
            case 1: ["a marker or loop lies beyond its end, and is left out"]
            default: ["\(strayCount) markers or loops lie beyond its end, and are left out"]
            }
        let loops = MarkerChunks.mostLoops
        return stray
            + (unreadLoops > 0 ? ["it has \(loops + unreadLoops) loops; all but the first \(loops) are left out"] : [])
    }

    /// What of it a kind of file has no room for, in words.
    func omissions(in container: SoundFileFormat.Container) -> [String] {
        let hasLoops = [.wav, .rf64, .aiff].contains(container)
        let kept = container == .aiff ? loops.filter { $0.direction != .backward }.prefix(2) : loops[...]
        var words = markers.isEmpty || hasLoops || container == .caf ? [] : ["markers"]
        if !loops.isEmpty && !hasLoops { words.append("loops") }
        if hasLoops && kept.count < loops.count { words.append("loops backwards, and no more than two") }
        if hasBaseNote && !hasLoops { words.append("base notes") }
        guard container == .aiff else { return words }
        if kept.contains(where: { $0.repetitions > 0 }) { words.append("repetition counts of loops") }
        let most = MarkerChunks.mostAIFFMarkers
        if markers.count > most { words.append("more than \(most) markers") }
        return words
    }
}
