/// What a file says of places in its sound.
package struct SoundPlaces {
    package private(set) var markers: [Marker]
    package private(set) var loops: [SoundFileLoop]
    /// Of MIDI.
    let baseNote: Int
    /// Markers and loops beyond the end of the sound, which are left out.
    private let strayCount: Int

    /// - Parameter frames: how many the sound has; `nil` where nobody knows, and all places are taken.
    init(
        markers: [Marker] = [], loops: [SoundFileLoop] = [], baseNote: Int = SoundFileLoop.usualBaseNote,
        within frames: Int? = nil
    ) {
        let end = frames ?? .max
        self.markers = markers.filter { $0.frame <= end }
        self.loops = loops.filter { $0.endFrame <= end }
        self.baseNote = baseNote
        strayCount = markers.count - self.markers.count + loops.count - self.loops.count
    }

    var isEmpty: Bool { markers.isEmpty && loops.isEmpty }

    /// What is wrong with them, in words.
    package var warnings: [String] {
        switch strayCount {
        case 0: []
        case 1: ["a marker or loop lies beyond its end, and is left out"]
        default: ["\(strayCount) markers or loops lie beyond its end, and are left out"]
        }
    }

    /// What of it a kind of file has no room for, in words.
    func omissions(in container: SoundFileFormat.Container) -> [String] {
        let hasLoops = [.wav, .rf64, .aiff].contains(container)
        let kept = container == .aiff ? loops.filter { $0.direction != .backward }.prefix(2).count : loops.count
        var words = markers.isEmpty || hasLoops || container == .caf ? [] : ["markers"]
        if !loops.isEmpty && !hasLoops { words.append("loops") }
        if hasLoops && kept < loops.count { words.append("loops backwards, and no more than two") }
        return words
    }
}
