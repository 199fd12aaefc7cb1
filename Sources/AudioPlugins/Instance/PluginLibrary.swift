import CLilv
import CPluginGuard
import Glibc

/// The program of a plug-in. lilv says nothing of why one cannot be loaded, so it is looked at before.
enum PluginLibrary {
    /// Loads it and never unloads it: threads that a plug-in leaves running would lose their code.
    ///
    /// - Returns: what calls the plug-in, for `cplugin_guard_free`.
    /// - Throws: `unusable`.
    static func check(_ info: PluginInfo) throws(PluginError) -> OpaquePointer {
        guard !info.library.isEmpty else {
            throw info.unusable("names no library in \(info.bundle); install the plug-in's package again")
        }
        // The loader would wait at a named pipe until another program writes to it, which may never happen.
        var facts = stat()
        guard unsafe stat(info.library, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG else {
            throw info.unusable(
                "cannot be loaded: \(info.library) is no regular file; install the plug-in's package again")
        }
        guard let library = unsafe dlopen(info.library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
            throw info.unusable(
                "cannot be loaded (\(reason)); install the package that it needs, or use another plug-in")
        }
        // The library stays, and so this only counts down.
        defer { unsafe _ = dlclose(library) }
        let known = unsafe cplugin_library_guard(library, info.bundle)
        guard let guardian = unsafe cplugin_guard_new(known) else { fatalError("no memory") }
        do throws(PluginError) {
            try unsafe check(info, library, guardian)
        } catch {
            unsafe cplugin_guard_free(guardian)
            throw error
        }
        return unsafe guardian
    }

    private static func check(
        _ info: PluginInfo, _ library: UnsafeMutableRawPointer, _ guardian: OpaquePointer
    ) throws(PluginError) {
        // Of the other kind lilv asks for its plug-ins.
        if unsafe dlsym(library, "lv2_lib_descriptor") != nil { return }
        guard let symbol = unsafe dlsym(library, "lv2_descriptor") else {
            throw PluginError(
                .unusable, "\(info.library) is no library of LV2 plug-ins; install the plug-in's package again")
        }
        var index: UInt32 = 0
        while index < 10_000, let found = unsafe cplugin_descriptor(guardian, symbol, index) {
            let plugin = unsafe found.assumingMemoryBound(to: LV2_Descriptor.self)
            if let own = unsafe plugin.pointee.URI, unsafe strcmp(own, info.uri) == 0 {
                guard unsafe plugin.pointee.run != nil else {
                    throw info.unusable("has no function that renders; install the plug-in's package again")
                }
                return
            }
            index += 1
        }
        try unsafe ended(info, guardian)
        throw PluginError(
            .unusable,
            "\(info.uri) is not in \(info.library), though its bundle says so; install the plug-in's package again, or use another plug-in"
        )
    }

    /// - Throws: `unusable` where the plug-in wanted to end the process.
    static func ended(_ info: PluginInfo, _ guardian: OpaquePointer) throws(PluginError) {
        guard let function = unsafe cplugin_ended(guardian) else { return }
        let name = unsafe String(cString: function)
        throw info.unusable("calls \(name) when it is made, which would end this program; use another plug-in")
    }
}
