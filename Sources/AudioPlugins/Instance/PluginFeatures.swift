import AudioDSP
import AudioRealtime
import CLilv

/// What the host offers to one instance: as LV2 wants it, an array of pointers that ends with a null.
@safe final class PluginFeatures {
    /// Stays as long as this object, as does all that it leads to.
    var list: UnsafeMutablePointer<UnsafePointer<LV2_Feature>?> { unsafe pointers.base }
    private let pointers: Row<UnsafePointer<LV2_Feature>?>
    private let features: Row<LV2_Feature>
    private let map = unsafe Cell(URIDMap.map)
    private let unmap = unsafe Cell(URIDMap.unmap)
    private let schedule: Cell<LV2_Worker_Schedule>
    private let options: Row<LV2_Options_Option>
    /// The values of the options: three lengths.
    private let lengths: Row<Int32>
    private let rate: Cell<Float>
    private let log: PluginLog
    /// Cycles of most servers.
    private static let nominalFrames = 256

    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - maximumFrames: of a block.
    ///   - side: whom a request for the worker is from.
    init(_ log: PluginLog, sampleRate: Int, maximumFrames: Int, side: UnsafeMutablePointer<InstanceSide>) {
        self.log = log
        unsafe schedule = unsafe Cell(LV2_Worker_Schedule(handle: side, schedule_work: scheduleWork))
        rate = Cell(Float(sampleRate))
        lengths = Row([1, maximumFrames, min(maximumFrames, Self.nominalFrames)].map { Int32($0) })
        unsafe options = unsafe Row([
            Self.option(LV2.bufferSize + "minBlockLength", LV2.atom + "Int", lengths.base),
            Self.option(LV2.bufferSize + "maxBlockLength", LV2.atom + "Int", lengths.base + 1),
            Self.option(LV2.bufferSize + "nominalBlockLength", LV2.atom + "Int", lengths.base + 2),
            Self.option(LV2.parameters + "sampleRate", LV2.atom + "Float", rate.pointer),
            // The end of the list.
            LV2_Options_Option(),
        ])
        unsafe features = unsafe Row([
            Self.feature(LV2.urid + "map", map.pointer),
            Self.feature(LV2.urid + "unmap", unmap.pointer),
            Self.feature(LV2.options + "options", options.base),
            Self.feature(LV2.worker + "schedule", schedule.pointer),
            Self.feature(LV2.log + "log", log.feature.pointer),
            Self.feature(LV2.bufferSize + "boundedBlockLength", nil),
            Self.feature(LV2.state + "loadDefaultState", nil),
            Self.feature(LV2.core + "isLive", nil),
        ])
        let first = unsafe UnsafePointer(features.base)
        unsafe pointers = unsafe Row((0..<features.count).map { unsafe first + $0 } + [nil])
    }

    private static func option(_ key: String, _ type: String, _ value: UnsafeRawPointer) -> LV2_Options_Option {
        unsafe LV2_Options_Option(
            context: LV2_OPTIONS_INSTANCE, subject: 0, key: URIDMap.number(key), size: 4, type: URIDMap.number(type),
            value: value)
    }

    private static func feature(_ uri: String, _ data: UnsafeMutableRawPointer?) -> LV2_Feature {
        unsafe LV2_Feature(URI: URIDMap.address(uri), data: data)
    }
}
