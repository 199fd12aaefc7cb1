import CSndFile

/// How many frames a file has, as its header promises.
struct SoundFileLength {
    private(set) var exact: Int?
    private(set) var estimate: Int?

    init(_ facts: SF_INFO, bytesPerFrame: Int, isPipe: Bool) {
        let frames = Int(facts.frames)
        // libsndfile has a few ways to say that it does not know, all of them beyond any file.
        guard frames >= 0, frames < 1 << 48 else { return }
        if Int(facts.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG {
            estimate = isPipe ? nil : frames
        } else if !(isPipe && BrokenPromise.isPlaceholder(frames * bytesPerFrame)) {
            exact = frames
        }
    }
}
