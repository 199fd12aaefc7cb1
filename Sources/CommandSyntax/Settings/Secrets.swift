/// What must not be written into a file of settings.
package enum Secrets {
    /// Stands for the value of an option that names the place of a secret.
    package static let placeholder = "SOURCE"
    /// What such a value begins with that names a file.
    static let file = "file:"

    /// - Returns: why the value of an option must not be kept; `nil` where it may be. The value itself is not repeated.
    package static func reason(_ option: Option, _ value: String) -> String? {
        guard case .secret = option.keeping else { return reason(address: value) }
        let isPlace = value.hasPrefix(file) || value.hasPrefix("env:")
        return isPlace ? nil : "\(option.name) is kept as file:PATH or env:NAME alone: settings hold no secrets"
    }

    /// Of the address of a target or an origin, as what stands without an option.
    static func reason(address: String) -> String? {
        guard let start = address.firstRange(of: "://")?.upperBound else { return nil }
        let rest = address[start...]
        // A password of Icecast's may have any sign in it.
        let authority = address.hasPrefix("icecast://") ? rest : rest.prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") {
            return "the address has a password in it, and settings hold no secrets: use password = file:PATH"
        }
        let query = plain(rest).lowercased()
        if ["?token=", "&token=", "#token=", "?password=", "&password="].contains(where: query.contains) {
            return "the address has a token in it, and settings hold no secrets: use token = file:PATH"
        }
        return nil
    }

    /// With each character of ASCII as itself that is written as a percent sign and two digits: a server reads both alike.
    private static func plain(_ text: Substring) -> String {
        var (plain, rest) = ("", text)
        while let character = rest.popFirst() {
            if character == "%", let code = UInt8(rest.prefix(2), radix: 16), code < 0x80 {
                plain.unicodeScalars.append(Unicode.Scalar(code))
                rest = rest.dropFirst(2)
            } else {
                plain.append(character)
            }
        }
        return plain
    }
}
