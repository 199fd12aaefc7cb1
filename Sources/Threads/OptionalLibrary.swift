import CLoading

/// A library that only some runs need is not installed on this machine: in one sentence, which, and what to do.
public struct MissingLibrary: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
}

/// A library that only some runs need: loaded where its use begins, and not with the program.
package enum OptionalLibrary: CaseIterable, Sendable {
    case liblilv, liblo, libpng, libshout, libspeexdsp, libwebrtc, libwebsockets

    /// Call it before anything else of the library is called; again it costs nothing. Thread: any that may block.
    package func load() throws(MissingLibrary) {
        // SAFETY: the libraries are constants. The words stay until the thread's next call.
        guard let reason = unsafe cloading_load(raw).map({ unsafe String(cString: $0) }) else { return }
        throw MissingLibrary(
            description: "\(file) cannot be loaded (\(reason)); install it (apt-get install \(package))")
    }

    /// What the loader looks for, as `libpng16.so.16`.
    package var file: String { unsafe String(cString: cloading_file(raw)) }

    /// As Debian 12 calls it.
    package var package: String { unsafe facts.package }

    private var raw: OpaquePointer { unsafe facts.raw }

    private var facts: (raw: OpaquePointer, package: String) {
        switch self {
        case .liblilv: unsafe (cloading_liblilv, "liblilv-0-0")
        case .liblo: unsafe (cloading_liblo, "liblo7")
        case .libpng: unsafe (cloading_libpng, "libpng16-16")
        case .libshout: unsafe (cloading_libshout, "libshout3")
        case .libspeexdsp: unsafe (cloading_libspeexdsp, "libspeexdsp1")
        case .libwebrtc: unsafe (cloading_libwebrtc, "libwebrtc-audio-processing1")
        case .libwebsockets: unsafe (cloading_libwebsockets, "libwebsockets17")
        }
    }
}
