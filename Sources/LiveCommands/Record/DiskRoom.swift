import LiveRuns
import Synchronization
import Threads

/// How long the disks last at the pace of a recording.
///
/// They are asked by a thread of its own: the kernel lets nobody out of a question to a network's disk that is gone, and who
/// waited for it would hear no key and no signal. Until all have answered, nothing is known.
struct DiskRoom {
    private final class Answer: Sendable {
        let spaces = Mutex<[String: DiskSpace]>([:])
    }

    /// On the disk that is full first, in seconds; `nil` where it is not known.
    private(set) var secondsLeft: Double?
    /// On that disk.
    private(set) var freeBytes: Int?
    private var pace = BytePace(count: 0, seconds: 2)
    private var hasAsked = false
    private let answer = Answer()
    /// Asks, until it has the answer.
    private var worker: Worker?
    private let space: @Sendable (String) -> DiskSpace?

    /// - Parameter space: of the disk of a path; another one for tests.
    init(_ space: @escaping @Sendable (String) -> DiskSpace? = { DiskSpace(at: $0) }) { self.space = space }

    /// Takes what was answered, and asks again, every two seconds.
    ///
    /// - Parameter files: the present one of each recording, where it lies on a disk, and what the recording has written in bytes.
    mutating func update(_ files: [(path: String?, bytes: Int)], atNanoseconds now: UInt64) {
        guard pace.update(files.map { UInt64($0.bytes) }, atNanoseconds: now) || !hasAsked else { return }
        hasAsked = true
        let spaces = ask(files.compactMap(\.path))
        var disks: [UInt64: (free: Int, perSecond: Double)] = [:]
        for (file, perSecond) in zip(files, pace.perSecond) {
            guard let disk = file.path.flatMap({ spaces[$0] }) else { continue }
            disks[disk.identifier] = (disk.free, (perSecond ?? 0) + (disks[disk.identifier]?.perSecond ?? 0))
        }
        let first = disks.values.min { $0.perSecond * Double($1.free) > $1.perSecond * Double($0.free) }
        freeBytes = first?.free
        secondsLeft = first.flatMap { $0.perSecond > 0 ? Double($0.free) / $0.perSecond : nil }
    }

    /// What was answered last; nothing while an answer is awaited.
    private mutating func ask(_ paths: [String]) -> [String: DiskSpace] {
        guard worker?.isFinished ?? true else { return [:] }
        worker = try? Worker("iounit-room") { [answer, space] in
            let spaces = paths.reduce(into: [:]) { $0[$1] = space($1) }
            answer.spaces.withLock { $0 = spaces }
        }
        return answer.spaces.withLock { $0 }
    }
}
