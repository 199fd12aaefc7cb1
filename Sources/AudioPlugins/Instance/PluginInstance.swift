import AudioRealtime
import CLilv
import CPluginGuard
import Synchronization

/// One instance of a plug-in, connected to memory of its own and activated.
///
/// All but what its `side` does is of control threads and workers.
@safe final class PluginInstance: @unchecked Sendable {
    // Sendable: the side is the audio thread's while it is rendered; all else never changes, or is called under a lock.
    let info: PluginInfo
    let sampleRate: Int
    private let cell: Cell<InstanceSide>
    var side: UnsafeMutablePointer<InstanceSide> { unsafe cell.pointer }
    private let world: PluginWorld
    private let features: PluginFeatures
    /// Calls it.
    let guardian: OpaquePointer
    private let isMade: Bool
    private var isActive = false
    /// Held while the worker works: one call at a time.
    private let working = Mutex(())

    /// - Parameters:
    ///   - snapshot: what it begins with; `nil` for as the plug-in is made.
    /// - Throws: `unusable`.
    init(
        _ info: PluginInfo, _ world: PluginWorld, _ log: PluginLog, sampleRate: Int, maximumFrames: Int,
        _ values: ControlValues, snapshot: PluginSnapshot?
    ) throws(PluginError) {
        try info.checkFeatures()
        let guardian = unsafe try PluginLibrary.check(info)
        self.info = info
        self.world = world
        self.sampleRate = sampleRate
        cell = unsafe Cell(InstanceSide(info, guardian, maximumFrames: maximumFrames))
        let features = unsafe PluginFeatures(
            log, sampleRate: sampleRate, maximumFrames: maximumFrames, side: cell.pointer)
        unsafe self.guardian = unsafe guardian
        self.features = features
        isMade = world.with { lilv in
            unsafe lilv.plugin(info.uri).map {
                unsafe cplugin_instantiate(guardian, UnsafeRawPointer($0), Double(sampleRate), features.list) != nil
            } ?? false
        }
        try unsafe PluginLibrary.ended(info, guardian)
        guard isMade else {
            let said = log.take().last.map { ": it says \"\($0)\"" } ?? ""
            throw info.unusable("refuses to be made at \(sampleRate) Hz\(said); use another plug-in, or another rate")
        }
        guard unsafe cplugin_can_run(guardian) else {
            throw info.unusable("has no function that renders; install the plug-in's package again")
        }
        for port in info.ports {
            unsafe cplugin_connect(guardian, UInt32(port.index), side.pointee.place(of: port, in: info))
        }
        unsafe side.pointee.readControls(values)
        if let snapshot { unsafe snapshot.restore(guardian, features.list) }
        unsafe cplugin_activate(guardian)
        isActive = true
        if snapshot != nil { settle() }
        takeControls(values)
        try unsafe PluginLibrary.ended(info, guardian)
    }

    /// Does what a restored state has asked the worker for, as to load a file, and hands over the answers: else the first block has
    /// neither that nor the latency that follows from it. Thread: control, while nothing is rendered.
    private func settle() {
        guard hasWorker else { return }
        work()
        unsafe side.pointee.clearEvents()
        _ = unsafe side.pointee.run(frames: 0, outputs: 0)
        unsafe side.pointee.hasRun.store(false, ordering: .relaxed)
    }

    /// Takes the controls as they are now, and the latency that follows from them. Thread: control, while nothing is rendered.
    func takeControls(_ values: ControlValues) {
        unsafe side.pointee.readControls(values)
        guard info.reportsLatency else { return }
        // Runs no frames: the plug-in tells its latency, and nothing else changes.
        unsafe side.pointee.clearEvents()
        unsafe cplugin_run(guardian, 0)
    }

    deinit {
        if isActive { unsafe cplugin_deactivate(guardian) }
        // lilv counts who uses a library.
        if isMade { world.with { _ in unsafe cplugin_cleanup(guardian) } }
        if hasEnded {
            // What it has left behind, as its threads, may use these as long as the process is there.
            _ = unsafe (Unmanaged.passRetained(cell), Unmanaged.passRetained(features))
            return
        }
        unsafe cplugin_guard_free(guardian)
    }

    /// Whether it wanted to end the process. Then it is not called any more. Thread: any. Wait-free.
    var hasEnded: Bool { unsafe side.pointee.hasEnded }

    /// The function by which it wanted that; `nil` where it did not.
    var endedBy: String? { unsafe cplugin_ended(guardian).map { unsafe String(cString: $0) } }

    /// How often something was refused to its library.
    func count(of kind: cplugin_kind) -> UInt32 { unsafe cplugin_refused(guardian, kind) }

    /// Forgets what was heard. Waits until its worker is done: LV2 forbids to deactivate it meanwhile. Thread: control, while nothing
    /// is rendered.
    func restart() {
        guard unsafe side.pointee.hasRun.exchange(false, ordering: .relaxed) else { return }
        working.withLock { _ in
            unsafe cplugin_deactivate(guardian)
            unsafe cplugin_activate(guardian)
        }
    }

    /// What a port tells. Thread: control, while nothing is rendered.
    func latencyFrames(at port: Int) -> Int { unsafe side.pointee.latencyFrames(at: port) }

    var hasWorker: Bool { unsafe cplugin_has_worker(guardian) }

    /// Does what the plug-in has asked its worker for by now. Thread: a worker's, or the renderer's.
    func work() {
        guard hasWorker else { return }
        working.withLock { _ in
            let end = unsafe side.pointee.requests.end
            while let request = unsafe side.pointee.requests.pop(before: end) {
                unsafe cplugin_work(
                    guardian,
                    { handle, size, data in
                        guard let side = unsafe handle?.assumingMemoryBound(to: InstanceSide.self) else {
                            return LV2_WORKER_ERR_UNKNOWN.rawValue
                        }
                        return unsafe side.pointee.responses.push(data, count: Int(size))
                            ? LV2_WORKER_SUCCESS.rawValue : LV2_WORKER_ERR_NO_SPACE.rawValue
                    }, side, UInt32(request.count), request.baseAddress)
            }
        }
    }

    /// Its state with the values of its controls.
    func snapshot(_ values: ControlValues) -> PluginSnapshot? {
        unsafe PluginSnapshot(world, info, guardian, values, features.list)
    }
}
