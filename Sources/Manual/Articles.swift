/// An article of the catalogue `Manual.docc`, as it is written there.
package struct ArticleSource: Sendable {
    /// What follows `iounit help`.
    package let name: String
    package let markdown: String

    package init(name: String, markdown: String) {
        self.name = name
        self.markdown = markdown
    }

    private init(_ name: String, _ text: [UInt8]) {
        self.init(name: name, markdown: String(decoding: text, as: UTF8.self))
    }

    /// In the order of the overview. A new article is named here, in the catalogue's Manual.md and in the package's
    /// manifest.
    package static let all = [
        ArticleSource("view", PackageResources.LiveView_md),
        ArticleSource("shapes", PackageResources.Shaping_md),
        ArticleSource("reconnect", PackageResources.Reconnect_md),
        ArticleSource("osc", PackageResources.ControlByOSC_md),
        ArticleSource("sessions", PackageResources.Sessions_md),
        ArticleSource("settings", PackageResources.Settings_md),
        ArticleSource("stage", PackageResources.Stage_md),
        ArticleSource("midi", PackageResources.ControlByMIDI_md),
        ArticleSource("measuring", PackageResources.Measuring_md),
        ArticleSource("comparing", PackageResources.CompareRuns_md),
        ArticleSource("ci", PackageResources.ContinuousIntegration_md),
        ArticleSource("recordings", PackageResources.Recordings_md),
        ArticleSource("files", PackageResources.SoundFiles_md),
        ArticleSource("transport", PackageResources.Transport_md),
        ArticleSource("sending", PackageResources.Sending_md),
        ArticleSource("receiving", PackageResources.Receiving_md),
        ArticleSource("page", PackageResources.WebPage_md),
        ArticleSource("voice", PackageResources.Voice_md),
        ArticleSource("heartbeats", PackageResources.Heartbeats_md),
        ArticleSource("pitch", PackageResources.Pitch_md),
        ArticleSource("pipewire", PackageResources.PipeWire_md),
        ArticleSource("netjack", PackageResources.NetJack_md),
        ArticleSource("troubleshooting", PackageResources.Troubleshooting_md),
        ArticleSource("library", PackageResources.Library_md),
        ArticleSource("processors", PackageResources.Processors_md),
        ArticleSource("design", PackageResources.Design_md),
        ArticleSource("performance", PackageResources.Performance_md),
        ArticleSource("licences", PackageResources.Licences_md),
    ]
}
