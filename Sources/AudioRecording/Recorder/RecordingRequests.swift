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
        // A mark behind the end is the end's.
        if let end = list.first(where: \.isEnd), end.position <= request.position, request.kind.mark == nil {
            return true
        }
        if request.isEnd { list.removeAll { $0.position > request.position && $0.kind.mark == nil } }
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

extension RecordingGate {
    /// What somebody asks for, at a frame of the unit or as soon as it can be.
    struct Request {
        enum Kind {
            case begin, beginAtOnce, pause, resume, split, mark(String), end

            var mark: Step? { if case .mark(let label) = self { .mark(label) } else { nil } }
        }
        var position: UInt64
        var kind: Kind
    }
}

extension RecordingGate.Request {
    fileprivate var isEnd: Bool { if case .end = kind { true } else { false } }
}
