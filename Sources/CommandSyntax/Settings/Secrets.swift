/// What must not be written into a file of settings.
package enum Secrets {
    private static let options: Set<String> = ["token", "password", "page-token"]

    /// - Returns: why the value of an option must not be kept; `nil` where it may be. The value itself is not repeated.
    package static func reason(_ option: String, _ value: String) -> String? {
        if options.contains(option) {
            let isPlace = value.hasPrefix("file:") || value.hasPrefix("env:")
            return isPlace ? nil : "\(option) is kept as file:PATH or env:NAME alone: settings hold no secrets"
        }
        return reason(address: value)
    }

    /// Of the address of a target or an origin, as what stands without an option.
    static func reason(address: String) -> String? {
        guard let start = address.firstRange(of: "://")?.upperBound else { return nil }
        let rest = address[start...]
        let authority = rest.prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") {
            return "the address has a password in it, and settings hold no secrets: use password = file:PATH"
        }
        let query = rest.lowercased()
        if ["?token=", "&token=", "#token=", "?password=", "&password="].contains(where: query.contains) {
            return "the address has a token in it, and settings hold no secrets: use token = file:PATH"
        }
        return nil
    }
}
