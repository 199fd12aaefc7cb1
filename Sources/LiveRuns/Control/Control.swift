import AudioDSP
import AudioIO
import AudioPlugins
import AudioReports

/// Something of a live run that can be changed while it runs: a parameter of a node, or what the run itself can do.
///
/// Thread: control.
package struct Control {
    package let info: ParameterInfo
    /// Reads it. Numbers are rounded to thousandths, so that equal settings compare as equal; those of plug-ins, which may be
    /// small, are not.
    package let get: () -> ParameterValue
    /// Sets a value that the parameter accepts. What it throws is the reason why it cannot be now.
    let set: (ParameterValue) throws -> Void

    package var name: String { info.name }
    var kind: ParameterInfo.Kind { info.kind }

    init(
        _ info: ParameterInfo, isRounded: Bool = true, get: @escaping () -> ParameterValue,
        set: @escaping (ParameterValue) throws -> Void
    ) {
        self.info = info
        self.get = {
            let value = get()
            guard isRounded else { return value }
            return value.number.map { .number(thousandths($0)) } ?? value
        }
        self.set = set
    }

    package static func flag(
        _ name: String, _ summary: String, isUndoable: Bool = true, get: @escaping () -> Bool,
        set: @escaping (Bool) throws -> Void
    ) -> Control {
        Control(
            .flag(name, summary, isUndoable: isUndoable), get: { .flag(get()) },
            set: { if let isOn = $0.isOn { try set(isOn) } })
    }

    package static func action(_ name: String, _ summary: String, _ perform: @escaping () throws -> Void) -> Control {
        Control(.action(name, summary), get: { .action }, set: { _ in try perform() })
    }

    /// All that can be set of nodes, in their order. One bypass is that of all of them.
    ///
    /// - Parameter nodes: each with what stands before the names of its parameters, as `eq/`.
    package static func all(of nodes: [(path: String, node: any Node)]) -> [Control] {
        let bypasses = nodes.flatMap { $0.node.parameters.filter { $0.info.name == "bypass" } }
        var controls: [Control] = []
        for (path, node) in nodes {
            for parameter in node.parameters {
                var (info, parameters) = (parameter.info, [parameter])
                info.name = path + info.name
                if parameter.info.name == "bypass" {
                    guard !controls.contains(where: { $0.name == "bypass" }) else { continue }
                    info = .flag(
                        "bypass",
                        nodes.contains { $0.node is Shaper }
                            ? "leave the signal alone: no equaliser, gain, shape or other effect"
                            : "leave out all plug-ins")
                    parameters = bypasses
                }
                controls.append(
                    Control(
                        info, isRounded: !(node is Plugin), get: { [parameters] in parameters[0].value },
                        set: { [parameters] value in for parameter in parameters { try parameter.set(value) } }))
            }
        }
        return controls
    }
}
