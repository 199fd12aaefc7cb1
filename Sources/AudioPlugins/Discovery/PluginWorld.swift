import CLilv
import Synchronization
import Threads

/// What lilv knows of the plug-ins of a path. lilv allows one thread at a time: all calls of it go through `with`, none of
/// which may be made within another.
@safe final class PluginWorld: @unchecked Sendable {
    // Sendable: only who has the lock touches what is behind the pointer.
    private let world: OpaquePointer
    private let lock = Mutex(())
    /// Why bundles are left out, a sentence each.
    let refusals: [String]

    /// - Parameter path: folders, divided by colons; `nil` for the environment's `LV2_PATH`, or else the usual ones.
    init(path: String?) throws(PluginError) {
        do {
            try OptionalLibrary.liblilv.load()
        } catch {
            throw PluginError(.unavailable, "\(error)")
        }
        guard let world = unsafe lilv_world_new() else {
            throw PluginError(.unavailable, "lilv has no memory for its list of plug-ins; end other programs")
        }
        unsafe self.world = unsafe world
        func set(_ option: String, _ node: OpaquePointer?) {
            unsafe lilv_world_set_option(world, option, node)
            unsafe lilv_node_free(node)
        }
        // A bundle whose library lists its plug-ins would run it here, whatever is wanted: one that aborts would end each list.
        unsafe set(LILV_OPTION_DYN_MANIFEST, unsafe lilv_new_bool(world, false))
        let bundles = PluginBundles(path: path)
        refusals = bundles.refusals
        if refusals.isEmpty {
            if let path { unsafe set(LILV_OPTION_LV2_PATH, unsafe lilv_new_string(world, path)) }
        } else {
            // All that lilv finds by itself it reads.
            for bundle in bundles.readable {
                let node = unsafe lilv_new_file_uri(world, nil, bundle)
                unsafe lilv_world_load_bundle(world, node)
                unsafe lilv_node_free(node)
            }
            unsafe set(LILV_OPTION_LV2_PATH, unsafe lilv_new_string(world, ""))
        }
        // What bundles say of each other is known only now, also of those that are loaded already.
        unsafe lilv_world_load_all(world)
    }

    deinit { unsafe lilv_world_free(world) }

    /// Lends the world. Thread: any but audio; waits for the thread that has it.
    func with<Result, Failure: Error>(_ body: (Lilv) throws(Failure) -> Result) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) in try body(unsafe Lilv(world: world)) }
    }
}

/// The world while it is lent: nothing of it is to be kept.
@safe struct Lilv {
    let world: OpaquePointer

    /// Calls with the node of a URI; `nil` where it is none.
    func with<Result>(uri: String, _ body: (OpaquePointer) -> Result?) -> Result? {
        guard let node = unsafe lilv_new_uri(world, uri) else { return nil }
        defer { unsafe lilv_node_free(node) }
        return unsafe body(node)
    }

    /// - Returns: `nil` where no bundle has such a plug-in.
    func plugin(_ uri: String) -> OpaquePointer? {
        // lilv complains on the standard error of what is no URI.
        guard uri.contains(":"), !uri.contains(where: { $0 == " " || $0.isNewline }) else { return nil }
        return unsafe with(uri: uri) { unsafe lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), $0) }
    }

    /// Calls with each plug-in.
    func plugins(_ body: (OpaquePointer) -> Void) {
        let all = unsafe lilv_world_get_all_plugins(world)
        var place = unsafe lilv_plugins_begin(all)
        while unsafe !lilv_plugins_is_end(all, place) {
            if let plugin = unsafe lilv_plugins_get(all, place) { unsafe body(plugin) }
            unsafe place = unsafe lilv_plugins_next(all, place)
        }
    }

    /// Calls with each of the nodes, which are freed.
    func each(freeing nodes: UnsafeMutableRawPointer?, _ body: (OpaquePointer) -> Void) {
        guard let nodes = unsafe nodes else { return }
        defer { unsafe lilv_nodes_free(nodes) }
        var place = unsafe lilv_nodes_begin(nodes)
        while unsafe !lilv_nodes_is_end(nodes, place) {
            if let node = unsafe lilv_nodes_get(nodes, place) { unsafe body(node) }
            unsafe place = unsafe lilv_nodes_next(nodes, place)
        }
    }

    /// The texts of nodes, which are freed.
    func texts(freeing nodes: UnsafeMutableRawPointer?) -> [String] {
        var texts: [String] = []
        unsafe each(freeing: nodes) { if let text = unsafe text($0) { texts.append(text) } }
        return texts
    }

    func text(_ node: OpaquePointer?) -> String? {
        guard let node = unsafe node, let text = unsafe lilv_node_as_string(node) else { return nil }
        return unsafe String(cString: text)
    }

    func text(freeing node: OpaquePointer?) -> String? {
        defer { unsafe lilv_node_free(node) }
        return unsafe text(node)
    }

    /// A finite number; `nil` where the node is none.
    func number(_ node: OpaquePointer?) -> Double? {
        guard let node = unsafe node, unsafe lilv_node_is_float(node) || lilv_node_is_int(node) else { return nil }
        let number = unsafe lilv_node_as_float(node).decimal
        return number.isFinite ? number : nil
    }

    func number(freeing node: OpaquePointer?) -> Double? {
        defer { unsafe lilv_node_free(node) }
        return unsafe number(node)
    }

    /// The path of a file's URI.
    func path(_ node: OpaquePointer?) -> String? {
        guard let node = unsafe node, let uri = unsafe lilv_node_as_string(node),
            let path = unsafe lilv_file_uri_parse(uri, nil)
        else { return nil }
        defer { unsafe lilv_free(path) }
        return unsafe String(cString: path)
    }
}
