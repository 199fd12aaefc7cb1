import Manual

/// An article of the catalogue `Manual.docc`, as it is written there.
struct ArticleSource: Sendable {
    /// What follows `iounit help`.
    let name: String
    let markdown: String

    /// In the order of the overview.
    static let all: [ArticleSource] = {
        var all: [ArticleSource] = []
        // SAFETY: constants of the program.
        while let article = unsafe manual_article(all.count)?.pointee {
            unsafe all.append(
                ArticleSource(name: String(cString: article.name), markdown: String(cString: article.text)))
        }
        return all
    }()
}
