import AudioPlugins
import Foundation

/// A plug-in in a host in C that does nothing but call its `run`, in the state that a node has it in. Stays to the end of the
/// program.
final class PluginTwin {
    private typealias Make =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, Double)
        -> UnsafeMutableRawPointer?
    private typealias Connect = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeMutableRawPointer?) -> Void
    private typealias ConnectEvents = @convention(c) (UnsafeMutableRawPointer, UInt32, Int32) -> Int32
    private typealias Activate = @convention(c) (UnsafeMutableRawPointer) -> Void
    private typealias Run = @convention(c) (UnsafeMutableRawPointer, Int) -> Void

    private let plugin: UnsafeMutableRawPointer
    private let run: Run
    private let frames: Int
    private let inputs: SampleBlock
    private let outputs: SampleBlock
    private let controls: UnsafeMutablePointer<Float>

    init(_ node: Plugin, frames: Int, _ twins: Twins) throws {
        let info = node.info
        let make = unsafeBitCast(try twins.symbol("twin_plugin_make"), to: Make.self)
        let connect = unsafeBitCast(try twins.symbol("twin_plugin_connect"), to: Connect.self)
        let connectEvents = unsafeBitCast(try twins.symbol("twin_plugin_connect_events"), to: ConnectEvents.self)
        let activate = unsafeBitCast(try twins.symbol("twin_plugin_activate"), to: Activate.self)
        run = unsafeBitCast(try twins.symbol("twin_plugin_run"), to: Run.self)
        guard let plugin = make(info.library, info.bundle, info.uri, 48_000) else {
            throw Breakdown("\(info.uri) cannot be made by the host in C")
        }
        self.plugin = plugin
        self.frames = frames
        let sounds = info.ports.filter { $0.kind == .audio || $0.kind == .cv }
        inputs = sound(max(1, info.inputs), frames)
        outputs = SampleBlock(channels: max(1, sounds.count), frames: frames)
        controls = .allocate(capacity: info.ports.count)
        controls.initialize(repeating: 0, count: info.ports.count)
        for parameter in node.parameters {
            guard let port = info.controls.first(where: { $0.symbol == parameter.info.name }) else { continue }
            controls[port.index] = port.number(parameter.value)
        }
        var (heard, made) = (0, 0)
        for port in info.ports {
            let place = UInt32(port.index)
            switch port.kind {
            case .audio, .cv:
                // What is no channel of the node would hear something else here.
                guard !port.isInput || heard < info.inputs else {
                    throw Breakdown("\(info.uri) has a side chain; take another plug-in")
                }
                connect(plugin, place, port.isInput ? inputs.channel(heard) : outputs.channel(made))
                (heard, made) = port.isInput ? (heard + 1, made) : (heard, made + 1)
            case .control:
                if port.purpose == .enabled { controls[port.index] = 1 }
                connect(plugin, place, controls + port.index)
            case .atom:
                guard connectEvents(plugin, place, port.isInput ? 1 : 0) == 0 else {
                    throw Breakdown("\(info.uri) has more ports for events than the host in C")
                }
            case .other: connect(plugin, place, nil)
            }
        }
        activate(plugin)
    }

    var contender: Contender {
        Contender(run: { count in for _ in 0..<count { self.run(self.plugin, self.frames) } })
    }
}
