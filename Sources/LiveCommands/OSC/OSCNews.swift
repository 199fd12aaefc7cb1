/// Changes of controls that the listeners have not been sent yet: of each control the last value, however often it changed.
struct OSCNews<Peer: Hashable> {
    private var pending: [(message: OSCMessage, sender: Peer?)] = []

    /// - Parameter cause: the message that made the change, and who sent it; `nil` where no message did.
    mutating func add(_ message: OSCMessage, causedBy cause: (message: OSCMessage, sender: Peer)?) {
        pending.removeAll { $0.message.address == message.address }
        // Its sender knows this value already. Two runs that subscribe to each other would never stop sending it.
        pending.append((message, cause?.message == message ? cause?.sender : nil))
    }

    /// What is to be sent, in the order of the changes.
    mutating func take(for listeners: [Peer]) -> [(peer: Peer, message: OSCMessage)] {
        defer { pending = [] }
        return pending.flatMap { change in
            listeners.filter { $0 != change.sender }.map { ($0, change.message) }
        }
    }
}
