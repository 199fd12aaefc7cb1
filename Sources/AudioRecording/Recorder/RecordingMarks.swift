/// Names of frames of a recording, on their way into its files.
struct RecordingMarks {
    /// Of frames that have not come yet.
    private var awaited: [(frame: Int, label: String, isListed: Bool)] = []
    /// Of places that were asked for, and the first 1000 at the most; a gap's is in the list of gaps.
    private(set) var list: [Sidecar.Head.Mark] = []
    /// How many of these places are not listed, because there are too many.
    private(set) var omitted = 0

    /// Gives a frame of the recording a name that comes next, or after what is still held back.
    ///
    /// - Parameter isListed: whether it is one of `list` as well.
    mutating func add(_ label: String, at frame: Int, isListed: Bool) { awaited.append((frame, label, isListed)) }

    /// Puts the names of frames before `end` into a file.
    ///
    /// - Parameter frames: of the recording, the one that comes next in the file.
    mutating func place(in file: RecordingFile, segment: Int, at frames: Int, before end: Int) {
        while let mark = awaited.first, mark.frame < end {
            awaited.removeFirst()
            let frame = max(0, file.position + mark.frame - frames)
            file.mark(mark.label, at: frame)
            guard mark.isListed else { continue }
            if list.count < Recording.spanLimit {
                list.append(Sidecar.Head.Mark(segment: segment, frame: frame, label: mark.label))
            } else {
                omitted += 1
            }
        }
    }
}
