/// The names of LV2's vocabulary that are used here.
enum LV2 {
    static let core = "http://lv2plug.in/ns/lv2core#"
    static let extensions = "http://lv2plug.in/ns/ext/"
    static let atom = extensions + "atom#"
    static let bufferSize = extensions + "buf-size#"
    static let log = extensions + "log#"
    static let options = extensions + "options#"
    static let parameters = extensions + "parameters#"
    static let portGroups = extensions + "port-groups#"
    static let portProperties = extensions + "port-props#"
    static let presets = extensions + "presets#"
    static let resizePort = extensions + "resize-port#"
    static let state = extensions + "state#"
    static let urid = extensions + "urid#"
    static let units = "http://lv2plug.in/ns/extensions/units#"
    static let worker = extensions + "worker#"
    static let midiEvent = extensions + "midi#MidiEvent"
    static let label = "http://www.w3.org/2000/01/rdf-schema#label"
    static let value = "http://www.w3.org/1999/02/22-rdf-syntax-ns#value"

    /// What this host offers: a plug-in that requires anything else cannot be used.
    static let features: Set<String> = [
        core + "hardRTCapable", core + "inPlaceBroken", core + "isLive", urid + "map", urid + "unmap",
        options + "options",
        bufferSize + "boundedBlockLength", worker + "schedule", log + "log", state + "mapPath", state + "freePath",
        state + "threadSafeRestore", state + "loadDefaultState",
    ]
}
