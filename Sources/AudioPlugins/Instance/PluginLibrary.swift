import CLilv
import Glibc

/// The program of a plug-in. lilv says nothing of why one cannot be loaded, so it is looked at before.
enum PluginLibrary {
    /// Loads it and never unloads it: threads that a plug-in leaves running would lose their code.
    ///
    /// - Throws: `unusable`.
    static func check(_ info: PluginInfo) throws(PluginError) {
        guard !info.library.isEmpty else {
            throw PluginError(
                .unusable, "\(info.shown) names no library in \(info.bundle); install the plug-in's package again")
        }
        guard let library = unsafe dlopen(info.library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
            throw PluginError(
                .unusable,
                "\(info.shown) cannot be loaded (\(reason)); install the package that it needs, or use another plug-in")
        }
        // The library stays, and so this only counts down.
        defer { unsafe _ = dlclose(library) }
        // Of the other kind lilv asks for its plug-ins.
        if unsafe dlsym(library, "lv2_lib_descriptor") != nil { return }
        guard let symbol = unsafe dlsym(library, "lv2_descriptor") else {
            throw PluginError(
                .unusable, "\(info.library) is no library of LV2 plug-ins; install the plug-in's package again")
        }
        let descriptor = unsafe unsafeBitCast(symbol, to: LV2_Descriptor_Function.self)
        var index: UInt32 = 0
        while index < 10_000, let plugin = unsafe descriptor(index) {
            if let own = unsafe plugin.pointee.URI, unsafe strcmp(own, info.uri) == 0 {
                guard unsafe plugin.pointee.run != nil else {
                    throw PluginError(
                        .unusable, "\(info.shown) has no function that renders; install the plug-in's package again")
                }
                return
            }
            index += 1
        }
        throw PluginError(
            .unusable,
            "\(info.uri) is not in \(info.library), though its bundle says so; install the plug-in's package again, or use another plug-in"
        )
    }
}
