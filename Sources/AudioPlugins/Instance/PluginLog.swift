import AudioRealtime
import CLilv
import Synchronization

/// What plug-ins log. A line that finds no room, or another thread that logs, is counted and lost: nobody waits.
@safe final class PluginLog: @unchecked Sendable {
    // Sendable: the ring has one writer at a time, who has `isBusy`, and one reader, who has the lock.
    private let ring = Cell(MessageRing(capacity: 1 << 14))
    private let isBusy = Atomic<Bool>(false)
    private let lost = Atomic<Int>(0)
    private let reading = Mutex(())
    private let handle = unsafe Cell(clilv_log(line: nil, context: nil))
    /// What a plug-in is given.
    let feature: Cell<LV2_Log_Log>

    init() {
        unsafe feature = unsafe Cell(clilv_log_feature(handle.pointer))
        // SAFETY: each instance that has the feature keeps the log.
        unsafe handle.pointer.pointee.context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe handle.pointer.pointee.line = { context, _, text, length in
            guard let context = unsafe context else { return }
            unsafe Unmanaged<PluginLog>.fromOpaque(context).takeUnretainedValue().add(text, length)
        }
    }

    private func add(_ text: UnsafePointer<CChar>?, _ length: Int) {
        if isBusy.exchange(true, ordering: .acquiring) {
            lost.add(1, ordering: .relaxed)
            return
        }
        if unsafe !ring.pointer.pointee.push(text, count: length) { lost.add(1, ordering: .relaxed) }
        isBusy.store(false, ordering: .releasing)
    }

    /// What was logged since, as lines without control characters. Thread: any but audio.
    func take() -> [String] {
        var text = ""
        reading.withLock { _ in
            let end = unsafe ring.pointer.pointee.end
            while let message = unsafe ring.pointer.pointee.pop(before: end) {
                text += unsafe String(decoding: message, as: UTF8.self)
            }
        }
        var lines = text.split(whereSeparator: \.isNewline).map { visible($0, " ") }
        let lost = lost.exchange(0, ordering: .relaxed)
        if lost > 0 { lines.append("\(lost) more lines were lost") }
        return lines
    }
}
