import AudioDSP
import CLilv
import CPluginGuard

/// The state of a plug-in: the values of its control ports, and what it keeps beside them. Of a preset, of a session, or as an
/// instance is now.
@safe final class PluginSnapshot: @unchecked Sendable {
    // Sendable: only who has the world touches what is behind the pointer.
    private let world: PluginWorld
    private let raw: OpaquePointer
    private static let uri = "urn:iounit:state"

    private init?(_ world: PluginWorld, _ make: (Lilv) -> OpaquePointer?) {
        // As a number, because the lock's function returns no pointer.
        let address = world.with { UInt(bitPattern: unsafe make($0)) }
        guard let raw = unsafe OpaquePointer(bitPattern: address) else { return nil }
        self.world = world
        unsafe self.raw = unsafe raw
    }

    deinit { world.with { _ in unsafe lilv_state_free(raw) } }

    /// Of a preset, or of the plug-in itself; `nil` where it has none.
    ///
    /// - Parameter uri: the preset's or the plug-in's.
    convenience init?(_ world: PluginWorld, uri: String) {
        unsafe self.init(world) { lilv in
            unsafe lilv.with(uri: uri) { node in
                unsafe lilv_world_load_resource(lilv.world, node)
                var map = unsafe URIDMap.map
                return unsafe lilv_state_new_from_world(lilv.world, &map, node)
            }
        }
    }

    /// Of text that `text` has made; `nil` where it is none, or is cut off.
    convenience init?(_ world: PluginWorld, text: String) {
        // The last statement of Turtle ends so, and what is cut off hardly does.
        guard text.last(where: { !$0.isWhitespace }) == "." else { return nil }
        // lilv 0.24 reads a null pointer where a text has statements and no state, so there is always one: it applies to no
        // plug-in. lilv takes the first by the order of the URIs, and this is behind those that `text` and presets have.
        let text = "<urn:iounit:~> a <http://lv2plug.in/ns/ext/presets#Preset> .\n" + text
        unsafe self.init(world) { lilv in
            var map = unsafe URIDMap.map
            return unsafe lilv_state_new_from_string(lilv.world, &map, text)
        }
    }

    /// Of an instance, which may be rendered meanwhile.
    convenience init?(
        _ world: PluginWorld, _ info: PluginInfo, _ guardian: OpaquePointer, _ values: ControlValues,
        _ features: UnsafeMutablePointer<UnsafePointer<LV2_Feature>?>
    ) {
        let context = Context(info, values)
        unsafe self.init(world) { lilv in
            guard let plugin = unsafe lilv.plugin(info.uri) else { return nil }
            defer { withExtendedLifetime(context) {} }
            var map = unsafe URIDMap.map
            return OpaquePointer(
                unsafe cplugin_save(
                    guardian, UnsafeRawPointer(plugin), &map,
                    { symbol, context, size, type in
                        guard let symbol = unsafe symbol, let context = unsafe context else { return nil }
                        let own = unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
                        guard let place = unsafe own.place(of: String(cString: symbol)) else { return nil }
                        unsafe size?.pointee = 4
                        unsafe type?.pointee = own.floatType
                        return unsafe UnsafeRawPointer(own.numbers.base + place)
                    }, Unmanaged.passUnretained(context).toOpaque(),
                    LV2_STATE_IS_POD.rawValue | LV2_STATE_IS_PORTABLE.rawValue, features))
        }
    }

    /// The values that lilv asks for, at addresses that stay.
    private final class Context {
        let numbers: Row<Float>
        let floatType = URIDMap.number(LV2.atom + "Float")
        private let controls: [PluginPort]

        init(_ info: PluginInfo, _ values: ControlValues) {
            controls = info.controls.filter { !$0.isTrigger }
            numbers = Row(info.ports.indices.map { values[$0] })
        }

        func place(of symbol: String) -> Int? { controls.first { $0.symbol == symbol }?.index }
    }

    /// Whose state it is.
    var plugin: String? { world.with { lilv in unsafe lilv.text(unsafe lilv_state_get_plugin_uri(raw)) } }

    /// Whether it has more than the values of ports, which only an instance can take.
    var hasProperties: Bool { world.with { _ in unsafe lilv_state_get_num_properties(raw) > 0 } }

    /// The values of ports, by symbol.
    var numbers: [String: Float] {
        final class Found { var numbers: [String: Float] = [:] }
        let found = Found()
        world.with { _ in
            unsafe lilv_state_emit_port_values(
                raw,
                { symbol, context, value, size, type in
                    guard let symbol = unsafe symbol, let context = unsafe context else { return }
                    let found = unsafe Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
                    if let number = unsafe PluginSnapshot.number(value, size, type) {
                        unsafe found.numbers[String(cString: symbol)] = number
                    }
                }, Unmanaged.passUnretained(found).toOpaque())
        }
        return found.numbers
    }

    private static func number(_ value: UnsafeRawPointer?, _ size: UInt32, _ type: UInt32) -> Float? {
        guard let value = unsafe value else { return nil }
        switch (URIDMap.uri(type), size) {
        case (LV2.atom + "Float", 4): return unsafe value.loadUnaligned(as: Float.self)
        case (LV2.atom + "Double", 8): return unsafe Float(value.loadUnaligned(as: Double.self))
        case (LV2.atom + "Int", 4), (LV2.atom + "Bool", 4): return unsafe Float(value.loadUnaligned(as: Int32.self))
        case (LV2.atom + "Long", 8): return unsafe Float(value.loadUnaligned(as: Int64.self))
        default: return nil
        }
    }

    /// Gives an instance what it keeps beside its ports. Nothing may run it meanwhile.
    func restore(
        _ guardian: OpaquePointer, _ features: UnsafeMutablePointer<UnsafePointer<LV2_Feature>?>
    ) {
        world.with { _ in unsafe cplugin_restore(guardian, UnsafeRawPointer(raw), features) }
    }

    /// As Turtle; `nil` where lilv cannot write it.
    var text: String? {
        world.with { lilv in
            var (map, unmap) = unsafe (URIDMap.map, URIDMap.unmap)
            guard let text = unsafe lilv_state_to_string(lilv.world, &map, &unmap, raw, Self.uri, nil) else {
                return nil
            }
            defer { unsafe lilv_free(text) }
            return unsafe String(cString: text)
        }
    }
}
