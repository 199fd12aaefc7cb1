import AudioIO
import AudioRealtime
import Testing

@Suite("What renders the plans of a graph") struct GraphRendererTests {
    /// libjack may go on calling a client whose close it does not come back from, when its engine is long gone.
    @Test func `keeps the graph, and with it all that the plans name`() {
        weak var graph: EngineGraph?
        func made() -> Cell<RenderUnit> {
            let own = EngineGraph(inputs: 1, outputs: 1, rampMilliseconds: 0)
            graph = own
            return Cell(own.makeRenderer())
        }
        var unit: Cell<RenderUnit>? = made()
        #expect(graph != nil)
        withExtendedLifetime(unit) {}
        unit = nil
        #expect(graph == nil)
    }
}
