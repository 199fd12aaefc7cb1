import AudioRecording
import Threads

/// How long the disks last at the pace of a recording.
struct DiskRoom {
    /// On the disk that is full first, in seconds; `nil` where it is not known.
    private(set) var secondsLeft: Double?
    /// On that disk.
    private(set) var freeBytes: Int?
    private var last: (nanoseconds: UInt64, bytes: [Int])?

    private static let paceNanoseconds: UInt64 = 2_000_000_000

    /// Looks, every two seconds.
    mutating func update(_ recorders: [Recorder], atNanoseconds now: UInt64) {
        guard last.map({ now >= $0.nanoseconds + Self.paceNanoseconds }) ?? true else { return }
        let bytes = recorders.map(\.writtenBytes)
        defer { last = (now, bytes) }
        guard let last else { return }
        let seconds = Double(now - last.nanoseconds) / 1e9
        var disks: [UInt64: (free: Int, perSecond: Double)] = [:]
        for (index, recorder) in recorders.enumerated() {
            guard let path = recorder.segments.last, let disk = Self.disk(of: path) else { continue }
            let grown = Double(bytes[index] - min(bytes[index], last.bytes[index])) / seconds
            disks[disk.identifier] = (disk.free, grown + (disks[disk.identifier]?.perSecond ?? 0))
        }
        let first = disks.values.min { $0.perSecond * Double($1.free) > $1.perSecond * Double($0.free) }
        freeBytes = first?.free
        secondsLeft = first.flatMap { $0.perSecond > 0 ? Double($0.free) / $0.perSecond : nil }
    }

    private static func disk(of path: String) -> DiskSpace? { path == "-" ? nil : DiskSpace(at: path) }
}
