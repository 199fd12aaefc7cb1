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
            let unit = Cell(own.makeRenderer())
            own.begin(sampleRate: 48_000) { plan in
                unit.pointer.pointee.begin(plan, rampMilliseconds: 0, run: TapRun(sampleRate: 48_000))
            }
            own.end()
            return unit
        }
        var unit: Cell<RenderUnit>? = made()
        #expect(graph != nil)
        unit?.pointer.pointee.render(frames: 64, frameTime: 0, entryNanoseconds: 0, sampleRate: 48_000)
        #expect(graph?.meters.totals(0).frames == 64, "the plan with which it began")
        unit = nil
        #expect(graph == nil)
    }
}
