/// Who is connected to the page, and for how many more there is room.
///
/// Listeners and open pages have places of their own, so that neither takes the other's. All others wait: they have asked for nothing
/// yet, or were answered. Where too many wait, the one that has waited longest goes, so that one who comes and asks at once is
/// always heard.
struct PageCrowd<Guest: Hashable> {
    /// What a connection is for.
    enum Place { case waiting, viewer, listener }

    private struct Entry {
        var address: PeerAddress
        var place: Place
        /// Larger than that of all who came before.
        var number: UInt64
    }

    private let limits: PageLimits
    private var entries: [Guest: Entry] = [:]
    private var number: UInt64 = 0

    init(_ limits: PageLimits) { self.limits = limits }

    var count: Int { entries.count }

    private func count(_ place: Place, of address: PeerAddress? = nil) -> Int {
        entries.values.count { $0.place == place && (address == nil || $0.address == address) }
    }

    /// Takes one who comes.
    ///
    /// - Returns: who has to go for it.
    mutating func add(_ guest: Guest, from address: PeerAddress) -> Guest? {
        number += 1
        entries[guest] = Entry(address: address, place: .waiting, number: number)
        // Behind this machine's address may be a proxy.
        let isAlone = !address.isLocal && count(.waiting, of: address) > limits.waitingOfAddress
        guard isAlone || count(.waiting) > limits.waiting else { return nil }
        let waiting = entries.filter { $0.value.place == .waiting && (!isAlone || $0.value.address == address) }
        let oldest = waiting.min { $0.value.number < $1.value.number }?.key
        if let oldest { entries[oldest] = nil }
        return oldest
    }

    /// Gives one a place.
    ///
    /// - Returns: why there is none, as one sentence; `nil` where there is.
    mutating func seat(_ guest: Guest, as place: Place) -> String? {
        if let sentence = refusal(guest, as: place) { return sentence }
        entries[guest]?.place = place
        return nil
    }

    /// Why there is no place for one; `nil` where there is.
    func refusal(_ guest: Guest, as place: Place) -> String? {
        guard let entry = entries[guest] else { return "too many wait here; try again in some seconds" }
        switch place {
        case .waiting: break
        case .viewer where count(.viewer) >= limits.viewers:
            return "\(limits.viewers) pages are open already; try again in some seconds"
        case .listener where count(.listener) >= limits.listeners:
            return "\(limits.listeners) listen already; try again in some seconds"
        case .viewer, .listener:
            guard entry.address.isLocal || count(place, of: entry.address) < limits.ofAddress(place == .listener) else {
                return "too many at your address have a place already; try again in some seconds"
            }
        }
        return nil
    }

    mutating func remove(_ guest: Guest) { entries[guest] = nil }
}

/// For how many there is room.
struct PageLimits: Sendable, Equatable {
    /// To a stream.
    var listeners: Int
    /// Pages that are open.
    var viewers: Int
    /// Connections that have asked for nothing yet, or were answered.
    var waiting: Int

    /// What this program keeps for its own files, sockets and pipes.
    static let keptDescriptors = 128

    /// - Parameters:
    ///   - wanted: as many are to be able to listen.
    ///   - descriptors: files that this program may have open.
    init(listeners wanted: Int, descriptors: Int) {
        let room = max(16, descriptors - Self.keptDescriptors)
        waiting = min(256, room / 4)
        viewers = min(64, room / 16)
        listeners = max(1, min(wanted, room - waiting - viewers))
    }

    /// - Throws: `resources` for more listeners than were asked for and there can be.
    init(_ configuration: PageConfiguration, descriptors: Int) throws(StreamError) {
        // No kernel has so many files.
        let wanted = min(configuration.listeners ?? PageConfiguration.usualListeners, 1 << 30)
        self.init(listeners: wanted, descriptors: descriptors)
        guard configuration.listeners == nil || listeners == wanted else {
            throw StreamError(
                .resources, "serve the page at \(configuration.address)",
                "\(wanted) listeners need more files than the \(descriptors) that the page can have open (beyond ten millions "
                    + "libwebsockets has 2560); set the limit with ulimit -n \(Self.descriptors(listeners: wanted)), or let fewer "
                    + "listen")
        }
    }

    /// How many files are enough for so many listeners.
    static func descriptors(listeners: Int) -> Int { listeners + 256 + 64 + keptDescriptors }

    /// One address may have half of the places, so that one alone cannot take all of them.
    func ofAddress(_ isListening: Bool) -> Int { max(1, (isListening ? listeners : viewers) / 2) }

    /// A browser opens some six at once.
    var waitingOfAddress: Int { max(8, waiting / 4) }
}
