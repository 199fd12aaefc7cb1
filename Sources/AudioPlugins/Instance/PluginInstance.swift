import CLilv
import Synchronization

/// One instance of a plug-in, connected to memory of its own and activated.
///
/// All but what its `side` does is of control threads and workers.
@safe final class PluginInstance: @unchecked Sendable {
    // Sendable: the side is the audio thread's while it is rendered; all else never changes, or is called under a lock.
    let info: PluginInfo
    let sampleRate: Int
    let maximumFrames: Int
    let side: UnsafeMutablePointer<InstanceSide>
    private let world: PluginWorld
    private let features: PluginFeatures
    private let raw: UnsafeMutablePointer<LilvInstance>
    private let memory: InstanceMemory
    private let worker: UnsafePointer<LV2_Worker_Interface>?
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
        try PluginLibrary.check(info)
        self.info = info
        self.world = world
        self.sampleRate = sampleRate
        self.maximumFrames = maximumFrames
        let memory = InstanceMemory(info, maximumFrames: maximumFrames)
        self.memory = memory
        let side = UnsafeMutablePointer<InstanceSide>.allocate(capacity: 1)
        let features = unsafe PluginFeatures(
            log, sampleRate: sampleRate, maximumFrames: maximumFrames, side: side)
        // Before it is made: a plug-in may ask for its worker at once.
        unsafe side.initialize(to: memory.side)
        let made = world.with { lilv in
            unsafe lilv.plugin(info.uri).flatMap {
                unsafe lilv_plugin_instantiate($0, Double(sampleRate), features.list).map { UInt(bitPattern: $0) }
            }
        }
        guard let made, let raw = unsafe UnsafeMutablePointer<LilvInstance>(bitPattern: made) else {
            unsafe side.deallocate()
            let said = log.take().last.map { ": it says \"\($0)\"" } ?? ""
            throw PluginError(
                .unusable,
                "\(info.shown) refuses to be made at \(sampleRate) Hz\(said); use another plug-in, or another rate")
        }
        guard let run = unsafe raw.pointee.lv2_descriptor.pointee.run else {
            world.with { _ in unsafe lilv_instance_free(raw) }
            unsafe side.deallocate()
            throw PluginError(
                .unusable, "\(info.shown) has no function that renders; install the plug-in's package again")
        }
        unsafe self.raw = unsafe raw
        self.features = features
        unsafe self.side = unsafe side
        let interface = unsafe lilv_instance_get_extension_data(raw, LV2.worker + "interface")
        unsafe worker = interface?.assumingMemoryBound(to: LV2_Worker_Interface.self)
        unsafe side.pointee.run = unsafe run
        unsafe side.pointee.handle = unsafe raw.pointee.lv2_handle
        unsafe side.pointee.respond = unsafe worker?.pointee.work_response
        unsafe side.pointee.endRun = unsafe worker?.pointee.end_run
        for port in info.ports { unsafe lilv_instance_connect_port(raw, UInt32(port.index), memory.place(of: port)) }
        unsafe side.pointee.readControls(values)
        if let snapshot { unsafe snapshot.restore(raw, features.list) }
        unsafe lilv_instance_activate(raw)
        takeControls(values)
    }

    /// Takes the controls as they are now, and the latency that follows from them. Thread: control, while nothing is rendered.
    func takeControls(_ values: ControlValues) {
        unsafe side.pointee.readControls(values)
        guard info.reportsLatency else { return }
        // Runs no frames: the plug-in tells its latency, and nothing else changes.
        unsafe side.pointee.clearEvents()
        unsafe clilv_run(side.pointee.run, side.pointee.handle, 0)
    }

    deinit {
        unsafe lilv_instance_deactivate(raw)
        // lilv counts who uses a library.
        world.with { _ in unsafe lilv_instance_free(raw) }
        unsafe side.deallocate()
    }

    /// Forgets what was heard. Thread: control, while nothing is rendered.
    func restart() {
        guard unsafe side.pointee.hasRun else { return }
        unsafe side.pointee.hasRun = false
        unsafe lilv_instance_deactivate(raw)
        unsafe lilv_instance_activate(raw)
    }

    /// What a port tells. Thread: control, while nothing is rendered.
    func latencyFrames(at port: Int) -> Int { unsafe side.pointee.latencyFrames(at: port) }

    var hasWorker: Bool { unsafe worker != nil }

    /// Does what the plug-in has asked its worker for. Thread: a worker's, or the renderer's.
    func work() {
        guard let function = unsafe worker?.pointee.work else { return }
        working.withLock { _ in
            while let request = unsafe side.pointee.requests.pop() {
                _ = unsafe function(
                    side.pointee.handle,
                    { handle, size, data in
                        guard let side = unsafe handle?.assumingMemoryBound(to: InstanceSide.self) else {
                            return LV2_WORKER_ERR_UNKNOWN
                        }
                        return unsafe side.pointee.responses.push(data, count: Int(size))
                            ? LV2_WORKER_SUCCESS : LV2_WORKER_ERR_NO_SPACE
                    }, side, UInt32(request.count), request.baseAddress)
            }
        }
    }

    /// Its state with the values of its controls.
    func snapshot(_ values: ControlValues) -> PluginSnapshot? {
        unsafe PluginSnapshot(world, info, raw, values, features.list)
    }
}
