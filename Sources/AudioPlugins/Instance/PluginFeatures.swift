import CLilv

/// What the host offers to one instance: as LV2 wants it, an array of pointers that ends with a null.
@safe final class PluginFeatures {
    /// Stays as long as this object, as does all that it leads to.
    let list: UnsafeMutablePointer<UnsafePointer<LV2_Feature>?>
    private let features: UnsafeMutablePointer<LV2_Feature>
    private var count = 0
    private let map: UnsafeMutablePointer<LV2_URID_Map>
    private let unmap: UnsafeMutablePointer<LV2_URID_Unmap>
    private let schedule: UnsafeMutablePointer<LV2_Worker_Schedule>
    private let options: UnsafeMutablePointer<LV2_Options_Option>
    /// The values of the options: three lengths.
    private let lengths: UnsafeMutablePointer<Int32>
    private let rate: UnsafeMutablePointer<Float>
    private let log: PluginLog
    private static let most = 16
    /// Cycles of most servers.
    private static let nominalFrames = 256

    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - maximumFrames: of a block.
    ///   - side: whom a request for the worker is from.
    init(_ log: PluginLog, sampleRate: Int, maximumFrames: Int, side: UnsafeMutablePointer<InstanceSide>) {
        self.log = log
        unsafe features = .allocate(capacity: Self.most)
        unsafe list = .allocate(capacity: Self.most + 1)
        unsafe list.initialize(repeating: nil, count: Self.most + 1)
        unsafe map = .allocate(capacity: 1)
        unsafe map.initialize(to: URIDMap.map)
        unsafe unmap = .allocate(capacity: 1)
        unsafe unmap.initialize(to: URIDMap.unmap)
        unsafe schedule = .allocate(capacity: 1)
        unsafe schedule.initialize(to: LV2_Worker_Schedule(handle: side, schedule_work: scheduleWork))
        unsafe lengths = .allocate(capacity: 3)
        unsafe rate = .allocate(capacity: 1)
        unsafe rate.initialize(to: Float(sampleRate))
        unsafe options = .allocate(capacity: 5)
        let names = ["minBlockLength", "maxBlockLength", "nominalBlockLength"]
        let values = [1, maximumFrames, min(maximumFrames, Self.nominalFrames)]
        for place in 0..<3 {
            unsafe (lengths + place).initialize(to: Int32(values[place]))
            unsafe (options + place).initialize(
                to: LV2_Options_Option(
                    context: LV2_OPTIONS_INSTANCE, subject: 0, key: URIDMap.number(LV2.bufferSize + names[place]),
                    size: 4, type: URIDMap.number(LV2.atom + "Int"), value: lengths + place))
        }
        unsafe (options + 3).initialize(
            to: LV2_Options_Option(
                context: LV2_OPTIONS_INSTANCE, subject: 0, key: URIDMap.number(LV2.parameters + "sampleRate"),
                size: 4, type: URIDMap.number(LV2.atom + "Float"), value: rate))
        unsafe (options + 4).initialize(
            to: LV2_Options_Option(
                context: LV2_OPTIONS_INSTANCE, subject: 0, key: 0, size: 0, type: 0, value: nil))

        unsafe add(LV2.urid + "map", map)
        unsafe add(LV2.urid + "unmap", unmap)
        unsafe add(LV2.options + "options", options)
        unsafe add(LV2.worker + "schedule", schedule)
        unsafe add(LV2.log + "log", log.feature)
        unsafe add(LV2.bufferSize + "boundedBlockLength", nil)
        unsafe add(LV2.state + "loadDefaultState", nil)
        unsafe add(LV2.core + "isLive", nil)
    }

    deinit {
        // SAFETY: the instance is gone. The values need no destruction.
        unsafe features.deallocate()
        unsafe list.deallocate()
        unsafe map.deallocate()
        unsafe unmap.deallocate()
        unsafe schedule.deallocate()
        unsafe lengths.deallocate()
        unsafe rate.deallocate()
        unsafe options.deallocate()
    }

    private func add(_ uri: String, _ data: UnsafeMutableRawPointer?) {
        unsafe (features + count).initialize(to: LV2_Feature(URI: URIDMap.address(uri), data: data))
        unsafe list[count] = UnsafePointer(features + count)
        count += 1
    }
}
