/// A figure that is to be read at first glance, with a few words on it.
package struct PageTile {
    /// Of the figure, as far as anything was expected of it.
    package enum State: String {
        case plain
        /// A limit that was set on it is met.
        case good
        /// A limit is exceeded, or something was lost.
        case bad
    }

    var name: String
    var value: String
    /// Lines below the value.
    var details: [String] = []
    var state = State.plain

    package init(name: String, value: String, details: [String] = [], state: State = .plain) {
        (self.name, self.value, self.details, self.state) = (name, value, details, state)
    }

    /// Tiles side by side, as many as a page has room for; nothing where there are none.
    package static func row(_ tiles: [PageTile]) -> String {
        guard !tiles.isEmpty else { return "" }
        return "<ul class=\"tiles\">\n" + tiles.map(\.markup).joined() + "</ul>\n"
    }

    private var markup: String {
        let sign = state == .plain ? "" : state == .bad ? "✗ " : "✓ "
        let lines = details.map { "<span class=\"detail\">\(escaped($0))</span>" }.joined()
        return "<li class=\"\(state.rawValue)\"><span class=\"name\">\(escaped(sign + name))</span>"
            + "<span class=\"value\">\(escaped(value))</span>\(lines)</li>\n"
    }
}
