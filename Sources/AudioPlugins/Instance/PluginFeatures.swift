import AudioRealtime
import CLilv

/// What the host offers to one instance: as LV2 wants it, an array of pointers that ends with a null.
@safe final class PluginFeatures {
    /// Stays as long as this object, as does all that it leads to.
    let list: UnsafeMutablePointer<UnsafePointer<LV2_Feature>?>
    private let features: UnsafeMutablePointer<LV2_Feature>
    private var count = 0
    private let map = unsafe Cell(URIDMap.map)
    private let unmap = unsafe Cell(URIDMap.unmap)
    private let schedule: Cell<LV2_Worker_Schedule>
    private let options: UnsafeMutablePointer<LV2_Options_Option>
    /// The values of the options: three lengths.
    private let lengths: UnsafeMutablePointer<Int32>
    private let rate: Cell<Float>
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
        unsafe schedule = unsafe Cell(LV2_Worker_Schedule(handle: side, schedule_work: scheduleWork))
        unsafe lengths = .allocate(capacity: 3)
        rate = Cell(Float(sampleRate))
        unsafe options = .allocate(capacity: 5)
        let names = ["minBlockLength", "maxBlockLength", "nominalBlockLength"]
        let values = [1, maximumFrames, min(maximumFrames, Self.nominalFrames)]
        for place in 0..<3 {
            unsafe (lengths + place).initialize(to: Int32(values[place]))
            unsafe (options + place).initialize(
                to: Self.option(LV2.bufferSize + names[place], LV2.atom + "Int", lengths + place))
        }
        unsafe (options + 3).initialize(
            to: Self.option(LV2.parameters + "sampleRate", LV2.atom + "Float", rate.pointer))
        // The end of the list.
        unsafe (options + 4).initialize(to: LV2_Options_Option())

        unsafe add(LV2.urid + "map", map.pointer)
        unsafe add(LV2.urid + "unmap", unmap.pointer)
        unsafe add(LV2.options + "options", options)
        unsafe add(LV2.worker + "schedule", schedule.pointer)
        unsafe add(LV2.log + "log", log.feature.pointer)
        unsafe add(LV2.bufferSize + "boundedBlockLength", nil)
        unsafe add(LV2.state + "loadDefaultState", nil)
        unsafe add(LV2.core + "isLive", nil)
    }

    deinit {
        // SAFETY: the instance is gone. The values need no destruction.
        unsafe features.deallocate()
        unsafe list.deallocate()
        unsafe lengths.deallocate()
        unsafe options.deallocate()
    }

    private static func option(_ key: String, _ type: String, _ value: UnsafeRawPointer) -> LV2_Options_Option {
        unsafe LV2_Options_Option(
            context: LV2_OPTIONS_INSTANCE, subject: 0, key: URIDMap.number(key), size: 4, type: URIDMap.number(type),
            value: value)
    }

    private func add(_ uri: String, _ data: UnsafeMutableRawPointer?) {
        unsafe (features + count).initialize(to: LV2_Feature(URI: URIDMap.address(uri), data: data))
        unsafe list[count] = UnsafePointer(features + count)
        count += 1
    }
}
