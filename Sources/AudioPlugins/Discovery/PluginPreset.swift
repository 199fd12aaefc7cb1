import CLilv

/// A preset of a plug-in.
public struct PluginPreset: Sendable, Equatable {
    /// What names it in all the world.
    public let uri: String
    /// Its label; the URI where it has none.
    public let name: String
}

extension PluginList {
    /// The presets of a plug-in that are installed, in the order of their names. Thread: any but audio.
    public func presets(of info: PluginInfo) -> [PluginPreset] {
        world.with { lilv in
            guard let plugin = unsafe lilv.plugin(info.uri) else { return [] }
            let uris = unsafe lilv.with(uri: LV2.presets + "Preset") { kind in
                unsafe lilv.texts(freeing: unsafe lilv_plugin_get_related(plugin, kind))
            }
            return (uris ?? []).compactMap { uri in
                unsafe lilv.with(uri: uri) { preset in
                    unsafe lilv_world_load_resource(lilv.world, preset)
                    let label = unsafe lilv.with(uri: LV2.label) { predicate in
                        unsafe lilv.text(freeing: unsafe lilv_world_get(lilv.world, preset, predicate, nil))
                    }
                    return PluginPreset(uri: uri, name: label ?? uri)
                }
            }.sorted { ($0.name, $0.uri) < ($1.name, $1.uri) }
        }
    }
}
