/// A part of the page, out of the program itself.
enum PageResource: String, Sendable, CaseIterable {
    case page, style, script, player, stream, meters, stage, equaliser, worklet, icon

    init?(path: String) {
        guard let found = Self.allCases.first(where: { $0.path == path }) else { return nil }
        self = found
    }

    var path: String {
        switch self {
        case .page: "/"
        case .style: "/page.css"
        case .script: "/page.js"
        case .player: "/player.js"
        case .stream: "/stream.js"
        case .meters: "/meters.js"
        case .stage: "/stage.js"
        case .equaliser: "/equaliser.js"
        case .worklet: "/worklet.js"
        case .icon: "/icon.svg"
        }
    }

    var mediaType: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .script, .player, .stream, .meters, .stage, .equaliser, .worklet: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .page: PackageResources.page_html
        case .style: PackageResources.page_css
        case .script: PackageResources.page_js
        case .player: PackageResources.player_js
        case .stream: PackageResources.stream_js
        case .meters: PackageResources.meters_js
        case .stage: PackageResources.stage_js
        case .equaliser: PackageResources.equaliser_js
        case .worklet: PackageResources.worklet_js
        case .icon: PackageResources.icon_svg
        }
    }
}
