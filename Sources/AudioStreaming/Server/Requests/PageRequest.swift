import CPage
import Glibc

/// What a client of the page asks for, as it came: any text may be in it.
struct PageRequest: Sendable {
    enum Method: Sendable { case get, head, other }

    var method = Method.get
    var path: String
    /// Behind the question mark, decoded.
    var arguments: [(name: String, value: String)] = []
    var host: String?
    var origin: String?
    var authorization: String?
    /// Whether more comes behind the headers.
    var hasBody = false
    /// Whether it is to become a WebSocket, and of which version.
    var isUpgrade = false
    var version: String?

    func argument(_ name: String) -> String? { arguments.first { $0.name == name }?.value }

    /// The token that comes with it: by header, or in the URL where a browser cannot set headers.
    var token: String? {
        if let authorization {
            guard let space = authorization.firstIndex(of: " "), authorization[..<space].lowercased() == "bearer" else {
                return authorization
            }
            return String(authorization[authorization.index(after: space)...].drop { $0 == " " })
        }
        return argument("token")
    }
}

/// What a request comes to.
enum PageVerdict: Sendable, Equatable {
    /// A part of the page.
    case resource(PageResource)
    case health
    case metrics
    case status
    /// A stream of packets (WebSocket).
    case packets(Codec)
    /// An endless file (HTTP).
    case file(Codec)
    /// The page's figures (WebSocket; any other request for them gets the reason why there are none).
    case live(mayControl: Bool)
    /// A status of HTTP, and one sentence.
    case refused(Int, String)
}

/// Who may have what. A pure function of the request, so that any can be tried.
struct PageAccess: Sendable {
    private let configuration: PageConfiguration
    /// Names that this server goes by, beside addresses and `localhost`: a browser that was led here by another name was
    /// led by somebody else's page (DNS rebinding).
    private var names: Set<String>

    /// The name that this machine has.
    static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(terminated: name)
    }

    init(_ configuration: PageConfiguration, machineName: String) {
        self.configuration = configuration
        let name = machineName.lowercased()
        names = ["localhost", configuration.address.host.lowercased()]
        if !name.isEmpty { names.formUnion([name, "\(name).local"]) }
    }

    func judge(_ request: PageRequest) -> PageVerdict {
        guard request.method != .other else { return .refused(405, "only GET and HEAD are answered here") }
        guard !request.hasBody else { return .refused(413, "no request here has a body") }
        guard let host = request.host, isOwn(host) else {
            return .refused(421, "this server does not go by that name; use its address, or localhost")
        }
        let verdict = wish(request)
        if case .refused = verdict { return verdict }
        if let origin = request.origin, !isOwn(origin: origin, host: host) {
            return .refused(403, "another site's page may not reach this one")
        }
        switch verdict {
        case .resource, .health: return verdict
        default: break
        }
        let (given, token) = (request.token, configuration.token)
        let isKnown = given.map { token?.matches($0) ?? false } ?? false
        if token != nil, given != nil, !isKnown { return .refused(401, "the token is wrong") }
        if configuration.isPrivate, !isKnown { return .refused(401, "a token is needed: Authorization: Bearer TOKEN") }
        if case .live = verdict { return .live(mayControl: configuration.hasControls && isKnown) }
        return verdict
    }

    private func wish(_ request: PageRequest) -> PageVerdict {
        if request.isUpgrade {
            guard request.version == "13" else { return .refused(426, "WebSockets are of version 13 here (RFC 6455)") }
            switch request.path {
            case "/live": return .live(mayControl: false)
            case "/stream":
                let word = request.argument("codec") ?? Codec.opus.name
                guard let codec = Codec.named(word), codec.hasPackets else {
                    return .refused(
                        404, "there is no such codec; use \(Codec.list(Codec.all.filter(\.hasPackets)))")
                }
                return .packets(codec)
            default: return .refused(404, "there is no such WebSocket; /stream and /live are")
            }
        }
        if let resource = PageResource(path: request.path) { return .resource(resource) }
        switch request.path {
        case "/healthz": return .health
        case "/metrics": return .metrics
        case "/status.json": return .status
        case "/live": return .live(mayControl: false)
        case "/stream": return .packets(.opus)
        default: break
        }
        if let codec = Codec.all.first(where: { $0.page?.path == request.path }) { return .file(codec) }
        return .refused(404, "there is nothing here")
    }

    /// Whether a `Host` is one of ours: an address, which no foreign name server can change, or a name that we know.
    private func isOwn(_ host: String) -> Bool {
        guard let name = Self.name(of: host) else { return false }
        return PageAddress.isAddress(name) || names.contains(name)
    }

    /// Whether a page that was loaded from the same host and port asks.
    private func isOwn(origin: String, host: String) -> Bool {
        let lower = origin.lowercased()
        for scheme in ["http://", "https://"] where lower.hasPrefix(scheme) {
            return lower.dropFirst(scheme.count) == host.lowercased()
        }
        return false
    }

    /// A host without port and brackets; `nil` where it has no sense.
    private static func name(of host: String) -> String? {
        guard host.utf8.count <= 255 else { return nil }
        let (name, port) = Authority.split(host.lowercased()[...])
        return name.isEmpty || port.map { Int($0) == nil } ?? false ? nil : String(name)
    }
}

/// A file of the page, out of the program itself.
struct PageResource: Sendable, Equatable {
    /// What the browser asks for; `/` for the page itself.
    let path: String
    let mediaType: String
    private let place: Int

    init?(path: String) {
        var place = 0
        while let file = unsafe page_file(place) {
            if unsafe String(cString: file.pointee.path) == path {
                self.path = path
                self.place = place
                mediaType = unsafe String(cString: file.pointee.media_type)
                return
            }
            place += 1
        }
        return nil
    }

    var bytes: [UInt8] {
        guard let file = unsafe page_file(place)?.pointee else { return [] }
        // SAFETY: a constant of as many bytes.
        return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
