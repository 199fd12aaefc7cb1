/// What was asked of a recording and is not done yet: in the order of the frames, and of one frame in the order of the asking.
///
/// Nothing is done while no sound comes, as while the server is away, and a frame may lie years ahead: so there is a most.
struct RecordingRequests {
    /// So many may wait.
    static let limit = 1000

    private(set) var list: [RecordingGate.Request] = []

    /// Takes another one.
    ///
    /// - Returns: `false` where it was left out, because too many wait. An end never is, for nothing behind it is done any more.
    mutating func add(_ request: RecordingGate.Request) -> Bool {
        if let last = list.last, last.isEnd, last.position <= request.position { return true }
        if request.isEnd { list.removeAll { $0.position > request.position } }
        guard list.count < Self.limit || request.isEnd else { return false }
        let index = list.firstIndex { $0.position > request.position } ?? list.endIndex
        list.insert(request, at: index)
        return true
    }

    mutating func removeFirst() { list.removeFirst() }

    mutating func takeAll() -> [RecordingGate.Request] {
        defer { list = [] }
        return list
    }
}

extension RecordingGate.Request {
    fileprivate var isEnd: Bool { if case .end = kind { true } else { false } }
}
