import CommandSyntax

/// `iounit plugin`: what there is to know of LV2 plug-ins, a verb for each question.
extension Subcommand {
    package static let plugin = Subcommand(PluginOptions.syntax, PluginOptions.init) { options in
        switch options.action {
        case .list(let pattern, let namesAlone):
            try PluginListing(pattern: pattern, isJSON: options.isJSON, namesAlone: namesAlone).run()
        case .info(let name): try PluginFacts(name: name, isJSON: options.isJSON).run()
        case .check(let check): try check.run()
        }
    }
}
