import AudioStreaming

/// What pages have asked for and the run has not done yet.
struct PageWishes {
    private var waiting: [PageControl] = []

    /// More wait only where somebody asks for actions faster than they are done.
    static let limit = 256

    /// Adds one. Of a control that moves on, its last value counts; an action in between may depend on the value before it.
    ///
    /// - Throws: `resources` where too many wait.
    mutating func add(_ wish: PageControl) throws(StreamError) {
        if let place = waiting.lastIndex(where: { $0.value == .action || $0.name == wish.name }),
            waiting[place].value != .action
        {
            waiting.remove(at: place)
        }
        guard waiting.count < Self.limit else {
            throw StreamError(
                .resources, "do what the page asks for",
                "more is asked for than can be done at once; \(wish.name) was not done")
        }
        waiting.append(wish)
    }

    /// Takes all of them, in the order in which they are to be done.
    mutating func take() -> [PageControl] {
        defer { waiting = [] }
        return waiting
    }
}
