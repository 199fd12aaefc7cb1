import CJack

/// A property that JACK keeps for a port, for other programs to show.
public enum PortProperty: Sendable {
    /// A name for people.
    case prettyName
    /// The port's place among its client's, from 0.
    case order

    /// As JACK knows it.
    fileprivate var entry: (key: String, type: String) {
        switch self {
        case .prettyName: ("http://jackaudio.org/metadata/pretty-name", "text/plain")
        case .order: ("http://jackaudio.org/metadata/order", "http://www.w3.org/2001/XMLSchema#int")
        }
    }
}

extension JackClient where Self: ~Copyable {
    /// Sets a property of one of the client's ports. Not every server keeps properties. Thread: control.
    public func setProperty(_ property: PortProperty, of port: Port, to value: String) throws(JackError) {
        let operation = "set a property of \(port.name)"
        let (key, type) = property.entry
        let result = try view.request(operation) { client in
            unsafe jack_set_property(client.raw, jack_port_uuid(port.raw), key, value, type)
        }
        guard result == 0 else {
            throw failure(operation, "the server keeps no properties")
        }
    }

    /// A property of any port, or `nil` where it has none. Thread: control.
    public func property(_ property: PortProperty, ofPortNamed name: String) -> String? {
        guard let port = unsafe jack_port_by_name(view.raw, name) else { return nil }
        var value: UnsafeMutablePointer<CChar>?
        var type: UnsafeMutablePointer<CChar>?
        guard unsafe jack_get_property(jack_port_uuid(port), property.entry.key, &value, &type) == 0 else { return nil }
        defer {
            unsafe jack_free(value)
            unsafe jack_free(type)
        }
        return unsafe value.map { unsafe String(cString: $0) }
    }

    /// Removes all properties of one of the client's ports. Thread: control.
    public func removeProperties(of port: Port) {
        // Nothing is lost where there were none.
        _ = try? view.request("remove the properties of \(port.name)") { client in
            unsafe jack_remove_properties(client.raw, jack_port_uuid(port.raw))
        }
    }
}
