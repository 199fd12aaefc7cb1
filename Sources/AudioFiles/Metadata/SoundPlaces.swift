/// What a file says of places in its sound.
struct SoundPlaces {
    var markers: [Marker] = []
    var loops: [SoundFileLoop] = []
    /// Of MIDI.
    var baseNote = SoundFileLoop.usualBaseNote

    var isEmpty: Bool { markers.isEmpty && loops.isEmpty }

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
