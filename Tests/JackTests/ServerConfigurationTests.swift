import Testing

@testable import Jack

@Suite("What a private server is started with") struct ServerConfigurationTests {
    @Test func `has ports for clients with as many as the card, and for a crowd, up to those that JACK can have`() {
        var configuration = ServerConfiguration()
        (configuration.captureChannels, configuration.playbackChannels) = (100, 56)
        configuration.clients = 4
        // The card's own too, and 256.
        #expect(configuration.hasRoom && configuration.ports == 5 * 156 + 256)
        #expect(configuration.arguments(name: "x").contains("1036"))
        (configuration.captureChannels, configuration.playbackChannels) = (256, 256)
        configuration.clients = 2
        #expect(configuration.hasRoom && configuration.ports == 1536 + 256)
        configuration.clients = 3
        #expect(!configuration.hasRoom && configuration.ports == 2048, "one with a single port finds no room")
    }
}
